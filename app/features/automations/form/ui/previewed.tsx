import { CircleCheck, CircleMinus, Smartphone } from 'lucide-react'
import { Badge } from '#app/ui/badge.tsx'
import { Button } from '#app/ui/button.tsx'
import type { PreviewStepView } from '../../preview/preview-view.ts'
import { type DraftPreview, FORM, PREVIEW_FIELDS } from '../form-preview.ts'
import { PreviewBody } from './preview-body.tsx'

/** What the rule would do with one record. */
export function Previewed({ preview }: { preview: DraftPreview }) {
  const { record, failed } = preview
  return (
    <>
      <div aria-live="polite" className="grid justify-items-start gap-1.5">
        <p className="wrap-anywhere font-medium text-label">{record.label}</p>
        <Meets matches={record.matches} />
      </div>
      {failed.length > 0 ? (
        <ul className="wrap-anywhere grid gap-1 text-label text-ink-soft">
          {failed.map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
      ) : null}
      <PreviewBody
        preview={preview.preview}
        inHeading={record.label}
        act={(step, place) => <TextMe step={step} place={place} />}
      />
    </>
  )
}

/** Sends the text above once, to the phone of the person who presses. */
function TextMe({ step, place }: { step: PreviewStepView; place: number }) {
  const [text] = step.effects.filter(({ credits }) => credits > 0)
  const words = text?.texts[0]?.text ?? ''
  if (step.outcome !== 'would_run' || words === '') return null
  return (
    <>
      <input type="hidden" form={FORM} name={`${PREVIEW_FIELDS.text}.${place}`} value={words} readOnly />
      <div>
        <Button
          type="submit"
          form={FORM}
          name="intent"
          value={`form.text_me:${place}`}
          variant="quiet"
          icon={Smartphone}
          className="-ml-4"
        >
          Text this to my own phone
        </Button>
      </div>
    </>
  )
}

function Meets({ matches }: { matches: boolean }) {
  return matches ? (
    <Badge tone="working" icon={CircleCheck}>
      Would run
    </Badge>
  ) : (
    <Badge tone="attention" icon={CircleMinus}>
      Skipped: it does not meet the conditions
    </Badge>
  )
}
