// The live preview, loaded when there is something to preview: refreshes when the user pauses, and cancels earlier
// requests.
import { useEffect, useRef, useState } from 'react'
import { SheetDialog } from '#app/ui/sheet-dialog.tsx'
import { toBody } from '../form-body.ts'
import type { DraftPreview, FormPreview, Shown } from '../form-preview.ts'
import type { FormState } from '../form-state.ts'
import { askPreview } from './ask-preview.tsx'
import { PreviewPane } from './preview-pane.tsx'

/** How long the user has to pause before the preview refreshes, ms. */
const PAUSE = 700

export interface LivePreviewProps {
  accountUUID: string
  state: FormState
  /** The preview shown so far. */
  before: Shown
  /** Reports the preview to the form, which shows what it comes to. */
  onPreview(preview: DraftPreview): void
  /** Over the page instead of beside the form. */
  sheet: boolean
  onSheet(open: boolean): void
}

export function LivePreview({ accountUUID, state, before, onPreview, sheet, onSheet }: LivePreviewProps) {
  const [shown, setShown] = useState(before)
  const [chosen, setChosen] = useState(before.record)
  const [search, setSearch] = useState(before.search)
  const [busy, setBusy] = useState(false)
  const [backBusy, setBackBusy] = useState(false)
  const [turn, setTurn] = useState(0)
  const asking = useRef<AbortController | null>(null)
  const backAsking = useRef<AbortController | null>(null)
  const latest = useRef(state)
  latest.current = state
  // Refresh only when the rule changes: a press that changes nothing sends no request.
  const asked = JSON.stringify([toBody(state), chosen, search, turn])
  const lastAsked = useRef('')
  const told = useRef(onPreview)
  told.current = onPreview

  useEffect(() => {
    if (asked === lastAsked.current) return
    const waiting = setTimeout(() => {
      lastAsked.current = asked
      setBusy(true)
      const question = { accountUUID, state: latest.current, preview: 'preview', record: chosen, search } as const
      askInstead(asking, question, (answer) => {
        setBusy(false)
        setShown((last) => withAnswer(last, answer))
        if (answer.kind === 'preview') told.current(answer)
      })
    }, PAUSE)
    return () => clearTimeout(waiting)
  }, [accountUUID, asked, chosen, search])

  useEffect(
    () => () => {
      asking.current?.abort()
      backAsking.current?.abort()
    },
    [],
  )

  const backtest = () => {
    setBackBusy(true)
    askInstead(backAsking, { accountUUID, state, preview: 'backtest' }, (answer) => {
      setBackBusy(false)
      setShown((last) => withAnswer(last, answer))
    })
  }

  const pane = (
    <PreviewPane
      bare={sheet}
      shown={{ ...shown, search, record: chosen }}
      live={{
        busy,
        backBusy,
        onSearch(text) {
          setSearch(text.trim())
          setChosen('')
        },
        onRecord: setChosen,
        onPreview: () => setTurn(turn + 1),
        onBacktest: backtest,
      }}
    />
  )
  if (!sheet) return pane
  return (
    <SheetDialog open onClose={() => onSheet(false)} title="Live preview" description="A test. Nothing is sent.">
      {pane}
    </SheetDialog>
  )
}

/** Asks, and drops the question that `place` waits for. */
function askInstead(
  place: { current: AbortController | null },
  question: Parameters<typeof askPreview>[0],
  take: (answer: FormPreview) => void,
): void {
  place.current?.abort()
  const mine = new AbortController()
  place.current = mine
  askPreview({ ...question, signal: mine.signal }).then(
    (answer) => {
      if (!mine.signal.aborted) take(answer)
    },
    () => {},
  )
}

/** Keeps the last preview when a request fails. */
function withAnswer(last: Shown, answer: FormPreview): Shown {
  switch (answer.kind) {
    case 'preview':
      return { ...last, preview: answer, trouble: null }
    case 'backtest':
      return { ...last, back: answer, trouble: null }
    case 'trouble':
      return { ...last, trouble: answer }
    case 'samples':
      return last
  }
}
