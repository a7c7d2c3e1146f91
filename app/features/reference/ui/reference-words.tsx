import type { ReactNode } from 'react'

/** A sentence with `code` in backticks and **strong words**. */
export function Words({ text }: { text: string }) {
  return <>{text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map(pieceOf)}</>
}

function pieceOf(piece: string, index: number): ReactNode {
  if (piece.startsWith('`') && piece.length > 2) {
    return (
      <code key={index} className="wrap-anywhere rounded-control bg-sunken px-1 py-0.5 font-mono text-dense">
        {piece.slice(1, -1)}
      </code>
    )
  }
  return piece.startsWith('**') ? <strong key={index}>{piece.slice(2, -2)}</strong> : piece
}
