import { clsx } from 'clsx'
import { CircleAlert, CircleCheck, Info, type LucideIcon, X } from 'lucide-react'
import { Toast } from 'radix-ui'
import { useRef } from 'react'
import type { Flash } from '#app/lib/flash.ts'
import { buttonStyles } from '../button.tsx'
import { TOAST, type ToastMessage } from './toast-message.ts'
import { useToastPlace } from './toast-place.ts'

const icons: Record<Flash['kind'], LucideIcon> = { success: CircleCheck, error: CircleAlert, info: Info }
const colours: Record<Flash['kind'], string> = { success: 'text-working', error: 'text-failing', info: 'text-accent' }

/** Renders the message, only in the browser: the library writes style attributes, forbidden in server pages. */
export function Toaster({ message, onOpenChange }: { message: ToastMessage; onOpenChange: (open: boolean) => void }) {
  const Icon = icons[message.kind]
  const viewport = useRef<HTMLOListElement>(null)
  const place = useToastPlace(viewport, message)
  return (
    <Toast.Provider
      duration={TOAST.durationMs}
      swipeDirection={TOAST.swipeDirection}
      swipeThreshold={TOAST.swipeThreshold}
      label="Message"
    >
      <Toast.Root
        key={message.id}
        open={message.open}
        onOpenChange={onOpenChange}
        type={message.kind === 'error' ? 'foreground' : 'background'}
        className={clsx(
          'flex items-start gap-3 rounded-card border border-line bg-surface py-2 pr-2 pl-4 shadow-lift',
          'data-[state=open]:animate-slide-in data-[state=closed]:animate-vanish',
          'data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x)',
          'data-[swipe=cancel]:translate-x-0 data-[swipe=cancel]:transition-transform',
          'data-[swipe=end]:animate-swipe-out',
        )}
      >
        <Icon aria-hidden className={clsx('mt-3 size-5 shrink-0', colours[message.kind])} />
        <div className="min-w-0 flex-1 wrap-anywhere py-2.5">
          <Toast.Title className="text-label font-semibold">{message.title}</Toast.Title>
          {message.description ? (
            <Toast.Description className="text-label text-ink-soft">{message.description}</Toast.Description>
          ) : null}
        </div>
        <Toast.Close aria-label="Dismiss" className={buttonStyles({ variant: 'quiet', size: 'icon' })}>
          <X aria-hidden className="size-4" />
        </Toast.Close>
      </Toast.Root>
      <Toast.Viewport
        hotkey={[...TOAST.hotkey]}
        label="Messages ({hotkey})"
        ref={viewport}
        style={place ?? {}}
        className={clsx(
          'fixed z-50 m-0 w-full max-w-md list-none p-4 max-sm:p-2',
          // Where it mostly stays, so it is not seen to jump.
          place === null && 'right-0 max-sm:top-0 sm:bottom-0',
        )}
      />
    </Toast.Provider>
  )
}
