import type { Flash } from '#app/lib/flash.ts'

/** From the specification: one message at a time, five seconds, swipe right to dismiss, F8 to focus. */
export const TOAST = {
  durationMs: 5_000,
  /** How long a dismissed message is remembered. */
  forgetAfterMs: 1_000_000,
  swipeDirection: 'right',
  swipeThreshold: 50,
  hotkey: ['F8'],
} as const

export interface ToastMessage extends Flash {
  id: number
  open: boolean
}
