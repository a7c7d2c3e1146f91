import { SquareTerminal } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button, type ButtonProps } from '../button.tsx'
import { useToast } from '../toast/toast.tsx'
import { COPIED } from './copy-field.tsx'

export const CURL_HINT = 'Add your own signature, or remove that header.'

interface CopyCurlButtonProps extends Pick<ButtonProps, 'variant' | 'pending' | 'children'> {
  /** Null = there is no command, and it has said so. */
  curlOf: () => Promise<string | null>
  /** Of the box from which the command is copied by hand. */
  boxStyle: string
}

/** Copies the command, or shows it. `children` say more to screen readers. */
export function CopyCurlButton({ curlOf, boxStyle, children, ...button }: CopyCurlButtonProps) {
  const toast = useToast()
  const [byHand, setByHand] = useState<string | null>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (byHand !== null) field.current?.select()
  }, [byHand])
  async function copy() {
    const curl = await curlOf()
    if (curl === null) return
    try {
      await navigator.clipboard.writeText(curl)
      toast({ kind: 'success', title: COPIED, description: CURL_HINT })
    } catch {
      // In an iframe the browser may refuse.
      setByHand(curl)
    }
  }
  return (
    <>
      <span className="needs-script contents">
        <Button {...button} icon={SquareTerminal} onClick={() => void copy()}>
          Copy as curl{children}
        </Button>
      </span>
      {byHand === null ? null : (
        <textarea
          ref={field}
          readOnly
          rows={6}
          value={byHand}
          aria-label="The command, to copy by hand"
          className={`${boxStyle} w-full rounded-control border border-line-strong bg-sunken p-3 font-mono text-dense`}
        />
      )}
    </>
  )
}
