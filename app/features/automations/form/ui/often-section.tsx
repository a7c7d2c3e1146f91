import { writesToCustomers } from '#app/domain/automations/rule.ts'
import { Notice } from '#app/ui/notice.tsx'
import { laterEditsOf, onceChoices, onceWords } from '../../rules/timing/once-words.ts'
import { draftOf } from '../form-body.ts'
import { objectOfForm } from '../form-state.ts'
import { useRuleForm } from './form-context.tsx'
import { IntentButton, SelectControl } from './form-controls.tsx'

/** How often the actions above happen for one and the same record: never hidden, because a customer may be on the other end. */
export function OftenSection() {
  const { state } = useRuleForm()
  const draft = draftOf(state)
  const object = objectOfForm(state)
  const again = draft.once !== 'record' && writesToCustomers(draft)
  return (
    <div className="grid gap-2">
      <SelectControl
        name="once"
        label="How often for the same record"
        none={null}
        options={onceChoices(draft, object)}
        {...(writesToCustomers(draft) && {
          hint: again ? 'The customer can get this message more than once.' : 'The customer gets each message once.',
        })}
      />
    </div>
  )
}

/** "Anything changes" with a status beside it starts at every later edit as well: said where it is written, with the way out. */
export function LaterEdits() {
  const { state } = useRuleForm()
  const draft = draftOf(state)
  const status = laterEditsOf(draft)
  if (status === null) return null
  const title =
    draft.once === 'change'
      ? `This also fires on every later edit of a ${status} job.`
      : `Any later edit of a ${status} job can start this, ${onceWords(draft, 'job')}.`
  return (
    <Notice tone="attention" title={title}>
      <p>Did you mean “Its status becomes {status}”?</p>
      <IntentButton intent="form.on_status" wraps className="mt-2">
        Change to “Its status becomes {status}”
      </IntentButton>
    </Notice>
  )
}
