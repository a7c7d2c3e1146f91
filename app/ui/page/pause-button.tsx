import { Pause, Play } from 'lucide-react'
import { Button } from '../button.tsx'
import { VisuallyHidden } from '../visually-hidden.tsx'

interface PauseButtonProps {
  paused: boolean
  onPaused: (paused: boolean) => void
  /** What refreshes by itself, for pages where several things do: `activity of Job`. */
  what?: string
}

/** Pauses and resumes what refreshes by itself, for those who read slowly. */
export function PauseButton({ paused, onPaused, what }: PauseButtonProps) {
  return (
    <span className="needs-script">
      <Button variant="quiet" className="-ml-4 sm:ml-0" icon={paused ? Play : Pause} onClick={() => onPaused(!paused)}>
        {paused ? 'Resume' : 'Pause'}
        {what ? <VisuallyHidden> {what}</VisuallyHidden> : null}
      </Button>
    </span>
  )
}
