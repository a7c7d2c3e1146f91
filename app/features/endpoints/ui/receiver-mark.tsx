import type { ReceiverKind } from '../receiver.ts'

/** Drawn for this product: what the system does, never its maker's logo. 16 by 16. */
const PATHS: Record<ReceiverKind, string> = {
  // A spark.
  Zapier: 'M9 1.5 3.5 9H7l-1 5.5L12.5 7H9z',
  // Three modules in a row.
  Make: 'M1.5 8a1.75 1.75 0 1 0 3.5 0a1.75 1.75 0 1 0-3.5 0M6.25 8a1.75 1.75 0 1 0 3.5 0a1.75 1.75 0 1 0-3.5 0M11 8a1.75 1.75 0 1 0 3.5 0a1.75 1.75 0 1 0-3.5 0',
  // A node that leads to two others.
  n8n: 'M2 8h4c2 0 2-4 4-4h4M6 8c2 0 2 4 4 4h4M1.5 8a.5.5 0 1 0 1 0a.5.5 0 1 0-1 0M13.5 4a.5.5 0 1 0 1 0a.5.5 0 1 0-1 0M13.5 12a.5.5 0 1 0 1 0a.5.5 0 1 0-1 0',
  // Two steps.
  flow: 'M2 2.5h6v4H2zM8 9.5h6v4H8zM5 6.5v5h3',
  script: 'M5.5 4 2 8l3.5 4M10.5 4 14 8l-3.5 4',
  // A speech bubble.
  chat: 'M2.5 3h11v7.5H8L4.5 13.500v-3h-2z',
}

/** The small picture of a well-known receiver. */
export function ReceiverMark({ kind }: { kind: ReceiverKind }) {
  return (
    <svg
      viewBox="0 0 16 16"
      aria-hidden="true"
      className="mr-1 inline size-4 fill-none stroke-accent align-[-0.2em]"
      strokeWidth="1.5"
      strokeLinejoin="round"
      strokeLinecap="round"
    >
      <path d={PATHS[kind]} />
    </svg>
  )
}
