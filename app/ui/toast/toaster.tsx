import { clsx } from 'clsx'
import { CircleAlert, CircleCheck, Info, type LucideIcon, X } from 'lucide-react'
import { Toast } from 'radix-ui'
import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import type { Flash } from '#app/lib/flash.ts'
import { buttonStyles } from '../button.tsx'
import { TOAST, type ToastMessage } from './toast-message.ts'

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

// Where a message covers no control and no error: on a phone at the top, on a wider screen in a corner, else at the next free height.

interface Size {
  width: number
  height: number
}

interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

/** The upper left corner of the message, in CSS pixels of the screen. */
interface ToastPlace {
  left: number
  top: number
}

/** Narrower screens have the whole width for a message. CSS pixels; the `sm` of the styles. */
const NARROW = 640

/** Pixels between two heights that are tried. */
const STEP = 8

/** Returns the first place where the message covers no control, or else where it covers the least of them. */
export function freePlace(screen: Size, size: Size, controls: readonly Box[]): ToastPlace {
  const narrow = screen.width < NARROW
  const right = Math.max(0, screen.width - size.width)
  const bottom = Math.max(0, screen.height - size.height)
  const heights = Array.from({ length: Math.floor(bottom / STEP) }, (_, step) => step * STEP)
  const from = (left: number, tops: readonly number[]) => tops.map((top) => ({ left, top }))
  const first = { left: right, top: narrow ? 0 : bottom }
  const places = narrow
    ? [first, ...from(0, [bottom, ...heights])]
    : [first, ...from(0, [bottom]), ...from(right, [0]), ...from(0, [0]), ...from(right, heights)]
  let best = { place: first, cost: Number.POSITIVE_INFINITY }
  for (const place of places) {
    const box = { ...place, right: place.left + size.width, bottom: place.top + size.height }
    const cost = controls.reduce((sum, control) => sum + overlap(box, control), 0)
    if (cost === 0) return place
    if (cost < best.cost) best = { place, cost }
  }
  return best.place
}

function overlap(one: Box, other: Box): number {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left)
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
  return width > 0 && height > 0 ? width * height : 0
}

/** What a message leaves free: controls, and the error lines that it speaks of. */
const CONTROLS = 'a[href], button, input, select, textarea, summary, iframe, [data-error]'

/**
 * Chooses the place of the message that is open. At the head of a narrow page with controls there, the page makes room
 * for it meanwhile. Null before it is drawn.
 */
function useToastPlace(viewport: RefObject<HTMLElement>, message: { id: number; open: boolean }): ToastPlace | null {
  const [place, setPlace] = useState<ToastPlace | null>(null)
  const { id, open } = message
  useLayoutEffect(() => {
    const own = viewport.current
    if (!own || !open || id < 0 || typeof ResizeObserver === 'undefined') return
    const { body } = document
    function choose(this: void) {
      if (!own) return
      const { width, height } = own.getBoundingClientRect()
      const screen = { width: document.documentElement.clientWidth, height: window.innerHeight }
      const controls = [...document.querySelectorAll(CONTROLS)]
        .filter((control) => !own.contains(control) && getComputedStyle(control).pointerEvents !== 'none')
        .map((control) => control.getBoundingClientRect())
      const atHead = screen.width < NARROW && window.scrollY === 0
      const made = body.style.paddingTop !== ''
      if (atHead && (made || controls.some(({ top, bottom }) => top < height && bottom > 0))) {
        body.style.paddingTop = `${height}px`
        return setPlace({ left: 0, top: 0 })
      }
      setPlace(freePlace(screen, { width, height }, controls))
    }
    // The message itself comes into its frame a moment later.
    const observer = new ResizeObserver(choose)
    observer.observe(own)
    return () => {
      observer.disconnect()
      body.style.paddingTop = ''
    }
  }, [viewport, id, open])
  return place
}
