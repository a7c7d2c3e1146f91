import { Copy } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '../button.tsx'
import { useToast } from '../toast/toast.tsx'
import { Tooltip } from '../tooltip.tsx'
import { Field } from './field.tsx'
import { TextInput } from './text-input.tsx'

export const COPIED = 'Copied to clipboard!'

interface CopyButtonProps {
  text: string
  /** The copied thing, for screen readers that read only the button. */
  what: string
  /** Called when the browser refuses the clipboard, e.g. to select the text. */
  onRefused?: () => void
  /** A short description, on hover and focus. */
  tip?: string
}

export function CopyButton({ text, what, onRefused, tip }: CopyButtonProps) {
  const toast = useToast()
  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      toast({ kind: 'success', title: COPIED })
    } catch {
      // Inside a frame the browser may refuse.
      onRefused?.()
      toast({
        kind: 'info',
        title: 'Your browser did not allow copying',
        description: 'The text is selected: copy it by hand.',
      })
    }
  }
  const button = (
    <Button icon={Copy} aria-label={`Copy ${what}`} onClick={copy}>
      Copy
    </Button>
  )
  return <span className="needs-script">{tip ? <Tooltip words={tip}>{button}</Tooltip> : button}</span>
}

interface CopyFieldProps {
  id: string
  label: string
  value: string
  hint?: string
  tip?: string
}

/** A text to copy. It is in a field, so it can be selected without scripts. */
export function CopyField({ id, label, value, hint, tip }: CopyFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <Field id={id} label={label} hint={hint}>
      {(control) => (
        <div className="flex gap-2">
          <TextInput
            {...control}
            ref={input}
            code
            readOnly
            value={value}
            onFocus={(event) => event.currentTarget.select()}
          />
          <CopyButton
            text={value}
            what={label}
            tip={tip}
            onRefused={() => {
              input.current?.focus()
              input.current?.select()
            }}
          />
        </div>
      )}
    </Field>
  )
}
