import { Copy } from 'lucide-react'
import { buttonStyles } from '#app/ui/button.tsx'

/** A text to copy; `bare` = no button. public/copy-code.js handles the button: the page has no other script. */
export function CodeBlock({ label, text, bare = false }: { label: string; text: string; bare?: boolean }) {
  return (
    <figure className="grid min-w-0 gap-1">
      <figcaption className="flex items-center justify-between gap-2 text-dense text-ink-soft">
        {label}
        {bare ? null : (
          <span className="needs-script">
            <button type="button" data-copy className={buttonStyles({ variant: 'quiet', className: 'px-3' })}>
              <Copy aria-hidden className="size-4 shrink-0" />
              <span data-copy-label>Copy</span>
            </button>
          </span>
        )}
      </figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
        tabIndex={0}
        className="max-h-96 overflow-auto rounded-control border border-line bg-sunken p-3 print:max-h-none"
      >
        <code className="font-mono text-dense">{text}</code>
      </pre>
    </figure>
  )
}
