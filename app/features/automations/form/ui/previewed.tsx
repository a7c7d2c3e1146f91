import { useFormAction } from '@remix-run/react'
import { CircleCheck, CircleMinus } from 'lucide-react'
import { Badge } from '#app/ui/badge.tsx'
import { TextMe } from '#app/ui/form/text-me.tsx'
import type { PreviewStepView } from '../../preview/preview-view.ts'
import { type DraftPreview, FORM, textMeNames } from '../form-preview.ts'
import { useRuleForm } from './form-context.tsx'
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
        act={(step, place) => <OwnPhone step={step} place={place} />}
      />
    </>
  )
}

function OwnPhone({ step, place }: { step: PreviewStepView; place: number }) {
  const { alive, person, phone } = useRuleForm()
  const here = useFormAction()
  const [text] = step.effects.filter(({ credits }) => credits > 0)
  const words = text?.texts[0]?.text ?? ''
  if (step.outcome !== 'would_run' || words === '') return null
  return (
    <TextMe
      form={FORM}
      intent={`form.text_me:${place}`}
      words={words}
      names={textMeNames(place)}
      phone={person === '' ? phone : null}
      formAction={alive ? undefined : `${here}#live-preview-title`}
    />
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
