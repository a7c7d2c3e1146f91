import { useNavigate } from '@remix-run/react'
import { type ComponentProps, type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { ConfirmDialog } from './confirm-dialog.tsx'
import { useOnDemand } from './on-demand.tsx'

const loadDialog = async () => (await import('./confirm-dialog.tsx')).ConfirmDialog

type Question = Omit<ComponentProps<typeof ConfirmDialog>, 'open' | 'onClose' | 'returnTo'>

/**
 * A button that asks before an irreversible action. The dialog loads when the pointer comes near the button; without a
 * dialog, the page at `byAddress` asks. `sending` = the answer is being sent. `button` has the props of the button,
 * `ask` renders the dialog.
 */
export function useAskFirst(byAddress: string, sending = false) {
  const ref = useRef<HTMLButtonElement>(null)
  const [near, setNear] = useState(false)
  const [asked, setAsked] = useState(false)
  const { part: Dialog, failed } = useOnDemand(loadDialog, near || asked)
  const wasSending = useRef(false)
  const navigate = useNavigate()

  // Still mounted after sending: the action was refused, and the page says why.
  useEffect(() => {
    if (wasSending.current && !sending) setAsked(false)
    wasSending.current = sending
  }, [sending])

  useEffect(() => {
    if (!failed || !asked) return
    setAsked(false)
    navigate(byAddress, { preventScrollReset: true })
  }, [failed, asked, byAddress, navigate])

  return {
    button: {
      ref,
      onPointerEnter: () => setNear(true),
      onFocus: () => setNear(true),
      onClick: (event: MouseEvent) => {
        event.preventDefault()
        setAsked(true)
      },
    },
    ask: (question: Question) =>
      Dialog ? <Dialog {...question} open={asked} onClose={() => setAsked(false)} returnTo={ref} /> : null,
  }
}

interface QuestionOnPageProps {
  id: string
  title: string
  /** The effect, and what cannot be undone. */
  children: ReactNode
  /** The way back, and the form that does it. */
  answers: ReactNode
}

/** The same question as part of the page. */
export function QuestionOnPage({ id, title, children, answers }: QuestionOnPageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <section aria-labelledby={id} className="grid gap-3 rounded-control border border-failing p-4">
      <h4 id={id} ref={heading} tabIndex={-1} className="font-semibold">
        {title}
      </h4>
      <div className="grid gap-2 wrap-anywhere text-label text-ink-soft">{children}</div>
      <div className="flex flex-wrap gap-2">{answers}</div>
    </section>
  )
}
