// The short sections of the rule form: how often, warnings, and the switch.
import { type OncePolicy, writesToCustomers } from '#app/domain/automations/rule.ts'
import { Notice } from '#app/ui/notice.tsx'
import { asksAboutExisting, chosenOnce, draftOf } from '../form-body.ts'
import { CONTACT, receiverWords } from '../form-state.ts'
import { useRuleForm } from './form-context.tsx'
import { BoxControl, Choice, IntentButton, SelectControl } from './form-controls.tsx'

/** How often the actions run for the same record. */
export function OftenSection() {
  const { state, aids } = useRuleForm()
  const draft = draftOf(state)
  const who = state.steps.some((step) => receiverWords(step) === CONTACT) ? 'The customer' : 'The receiver'
  return (
    <SelectControl
      name="once"
      label="How often for the same record"
      none={null}
      options={aids.often}
      {...(writesToCustomers(draft) && {
        hint:
          draft.once === 'record' ? `${who} gets each message once.` : `${who} can get this message more than once.`,
      })}
    />
  )
}

/** Warns that "Anything changes" with a status condition also starts on every later edit, and offers the fix. */
export function LaterEdits() {
  const { later } = useRuleForm().aids
  if (later === null) return null
  const { status, title } = later
  return (
    <Notice tone="attention" title={title}>
      <p>Did you mean “Its status becomes {status}”?</p>
      <IntentButton intent="form.on_status" wraps className="mt-2">
        Change to “Its status becomes {status}”
      </IntentButton>
    </Notice>
  )
}

/** Rules that would start each other again and again. */
export function LoopWarnings() {
  const { aids } = useRuleForm()
  return aids.warnings.map((warning) => (
    <Notice key={warning} tone="attention" title="These may keep starting each other">
      <p>{warning}</p>
    </Notice>
  ))
}

/** The ledger of such a rule starts anew with each period, so existing records follow then. */
const SKIPS_UNTIL: Partial<Record<OncePolicy, string>> = { day: 'tomorrow', week: 'next week', month: 'next month' }

export function ActiveSwitch() {
  const { state } = useRuleForm()
  const until = SKIPS_UNTIL[chosenOnce(state)]
  return (
    <div className="grid gap-3">
      <BoxControl name="active">Active</BoxControl>
      {asksAboutExisting(state) ? (
        <Choice
          name="includeExisting"
          legend="Records that already match"
          options={[
            {
              value: '',
              label: 'Only new ones',
              hint: until ? `Skips what matches now until ${until}.` : 'Skips what matches now.',
            },
            { value: 'true', label: 'Also what matches now', hint: 'Acts on those at the next check.' },
          ]}
        />
      ) : null}
    </div>
  )
}
