import { useOnDemand } from '#app/ui/on-demand.tsx'
import type { FormView } from '../../page/form-view.ts'
import type { FormState } from '../form-state.ts'
import { NOTHING_SHOWN, PreviewPane, type Shown } from './preview-pane.tsx'

async function loadLive() {
  return (await import('./live-preview.tsx')).LivePreview
}

interface FormPreviewProps {
  accountUUID: string
  form: FormView
  state: FormState
  alive: boolean
  onRecord(uuid: string): void
}

/** The preview beside the form: by itself with scripts, by a button without. */
export function FormPreview({ accountUUID, form, state, alive, onRecord }: FormPreviewProps) {
  const { part: Live } = useOnDemand(loadLive, alive)
  const before = shownOf(form)
  return Live ? (
    <Live accountUUID={accountUUID} state={state} before={before} onRecord={onRecord} />
  ) : (
    <PreviewPane shown={before} />
  )
}

function shownOf({ look }: FormView): Shown {
  if (!look) return NOTHING_SHOWN
  const { answer, search, record } = look
  return {
    preview: answer.kind === 'preview' ? answer : null,
    back: answer.kind === 'lookback' ? answer : null,
    trouble: answer.kind === 'trouble' ? answer : null,
    search,
    record,
  }
}
