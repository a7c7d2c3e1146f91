import { AlertDialog } from 'radix-ui'
import { type ReactNode, type RefObject, useRef } from 'react'
import { buttonStyles } from './button.tsx'

interface ConfirmDialogProps {
  open: boolean
  onClose: () => void
  /** Gets the focus back after closing, unless the answer took it. */
  returnTo: RefObject<HTMLElement | null>
  title: string
  /** The effect, and what cannot be undone. */
  children: ReactNode
  cancelLabel: string
  /** The form or button that does it. */
  action: ReactNode
}

/**
 * Asks before an irreversible action. Does not use the library's overlay: it adds a style element, which our
 * Content-Security-Policy refuses.
 */
export function ConfirmDialog({ open, onClose, returnTo, title, children, cancelLabel, action }: ConfirmDialogProps) {
  const left = useRef(false)
  return (
    <AlertDialog.Root
      open={open}
      onOpenChange={(next) => {
        left.current = !next
        if (!next) onClose()
      }}
    >
      <AlertDialog.Portal>
        {/* One pixel taller than the window: it captures the scrolling, so the page behind does not move. */}
        <div
          aria-hidden
          className="pointer-events-auto fixed inset-0 z-40 animate-appear overflow-y-scroll overscroll-contain bg-shade"
        >
          <div className="h-[calc(100%+1px)]" />
        </div>
        <AlertDialog.Content
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            const lost = (document.activeElement ?? document.body) === document.body
            if (left.current || lost) returnTo.current?.focus()
            left.current = false
          }}
          className="-translate-x-1/2 -translate-y-1/2 fixed top-1/2 left-1/2 z-50 max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] max-w-md animate-appear overflow-y-auto rounded-card border border-line bg-surface p-5 shadow-lift"
        >
          <AlertDialog.Title className="text-title font-semibold">{title}</AlertDialog.Title>
          <AlertDialog.Description asChild>
            <div className="mt-2 grid gap-2 wrap-anywhere text-body text-ink-soft">{children}</div>
          </AlertDialog.Description>
          <div className="mt-5 flex flex-wrap justify-end gap-2">
            <AlertDialog.Cancel className={buttonStyles({})}>{cancelLabel}</AlertDialog.Cancel>
            {action}
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
