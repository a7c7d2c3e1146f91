import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type ReactNode, useRef } from 'react'
import { buttonStyles } from './button.tsx'

interface SheetDialogProps {
  open: boolean
  onClose: () => void
  title: string
  description: string
  children: ReactNode
}

/** A reading overlay. Like `ConfirmDialog` without the library's overlay, whose styles our policy refuses. */
export function SheetDialog({ open, onClose, title, description, children }: SheetDialogProps) {
  // The library gives the focus back only to a trigger of its own.
  const opener = useRef<Element | null>(null)
  return (
    <Dialog.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <Dialog.Portal>
        <div
          aria-hidden
          className="pointer-events-auto fixed inset-0 z-40 animate-appear overflow-y-scroll overscroll-contain bg-shade"
        >
          <div className="h-[calc(100%+1px)]" />
        </div>
        <Dialog.Content
          onOpenAutoFocus={() => {
            opener.current = document.activeElement
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            if (opener.current instanceof HTMLElement) opener.current.focus()
          }}
          className="-translate-x-1/2 -translate-y-1/2 fixed top-1/2 left-1/2 z-50 grid max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] max-w-2xl animate-appear grid-rows-[auto_minmax(0,1fr)] rounded-card border border-line bg-surface shadow-lift"
        >
          <div className="flex items-start gap-3 border-line border-b py-3 pr-2 pl-5">
            <div className="min-w-0 flex-1 py-1">
              <Dialog.Title className="font-semibold text-title">{title}</Dialog.Title>
              <Dialog.Description className="text-label text-ink-soft">{description}</Dialog.Description>
            </div>
            <Dialog.Close aria-label="Close" className={buttonStyles({ variant: 'quiet', size: 'icon' })}>
              <X aria-hidden className="size-5" />
            </Dialog.Close>
          </div>
          {/* It scrolls, so keyboard users need to focus it. */}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs it. */}
          <section tabIndex={0} aria-label={title} className="overflow-y-auto rounded-b-card p-5">
            {children}
          </section>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
