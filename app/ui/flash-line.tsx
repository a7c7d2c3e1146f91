import { clsx } from 'clsx'
import { type Tone, toneLook } from './badge.tsx'
import { usePlainFlash } from './toast.tsx'

const tones = { success: 'working', error: 'failing', info: 'accent' } as const satisfies Record<string, Tone>

/** The server's message at the top of the page, for as long as (or because) no script shows it as a toast. */
export function FlashLine() {
  const flash = usePlainFlash()
  if (!flash) return null
  return (
    <div role={flash.kind === 'error' ? 'alert' : 'status'} className={clsx('text-label', toneLook[tones[flash.kind]])}>
      <p className="wrap-anywhere mx-auto max-w-6xl px-4 py-3 sm:px-6">
        <strong className="font-semibold">{flash.title}</strong>
        {flash.description ? ` ${flash.description}` : null}
      </p>
    </div>
  )
}
