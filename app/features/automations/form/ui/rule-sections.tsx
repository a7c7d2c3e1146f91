// The short sections of the rule form: grouping, how often, summary, and saving.
import { GROUPING_FIELDS, writesToCustomers } from '#app/domain/automations/rule.ts'
import { Button } from '#app/ui/button.tsx'
import { FieldError } from '#app/ui/form/field.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { GROUPING_TEXTS } from '../../rules/form-text.ts'
import { laterEditsOf, onceChoices, onceText } from '../../rules/timing/once-text.ts'
import { asksAboutExisting, draftOf } from '../form-body.ts'
import { isShown } from '../form-shown.ts'
import { objectOfForm } from '../form-state.ts'
import { useRuleForm } from './form-context.tsx'
import { BoxControl, Choice, FormSection, IntentButton, SelectControl, ShowFields } from './form-controls.tsx'

/** Groups related records into one run. */
export function GroupSection() {
  const { state } = useRuleForm()
  return (
    <FormSection id="group" title="Group Actions" hint="Combine related records into one run.">
      <div className="grid gap-2">
        <BoxControl name="enableGrouping">Group the records that match</BoxControl>
        {isShown(state, 'groupingField') ? (
          <SelectControl
            name="groupingField"
            label="Group by"
            none="Choose what to group by"
            options={GROUPING_FIELDS.map((value) => ({ value, label: GROUPING_TEXTS[value] }))}
            hint="Use {job_list} or {count} in the texts for all of them."
          />
        ) : null}
        <ShowFields>Show the grouping</ShowFields>
      </div>
    </FormSection>
  )
}

/** How often the actions run for the same record: always visible, because customers may be affected. */
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

/** Warns that "Anything changes" with a status condition also starts on every later edit, and offers the fix. */
export function LaterEdits() {
  const { state } = useRuleForm()
  const draft = draftOf(state)
  const status = laterEditsOf(draft)
  if (status === null) return null
  const title =
    draft.once === 'change'
      ? `This also fires on every later edit of a ${status} job.`
      : `Any later edit of a ${status} job can start this, ${onceText(draft, 'job')}.`
  return (
    <Notice tone="attention" title={title}>
      <p>Did you mean “Its status becomes {status}”?</p>
      <IntentButton intent="form.on_status" wraps className="mt-2">
        Change to “Its status becomes {status}”
      </IntentButton>
    </Notice>
  )
}

/** The rule in one sentence, with its warnings. */
export function Summary() {
  const { aids } = useRuleForm()
  const { sentence, warnings } = aids
  return (
    <div className="grid gap-3 border-t border-line pt-5">
      {sentence ? (
        <div className="rounded-control bg-accent-soft px-3.5 py-3 text-body" aria-live="polite">
          <p className="text-dense text-ink-soft">What this automation does</p>
          <p className="wrap-anywhere">
            {sentence.when}
            {sentence.onlyIf === null ? ', ' : <>, only if {sentence.onlyIf}, then </>}
            {sentence.does}.
          </p>
        </div>
      ) : null}
      {warnings.map((warning) => (
        <Notice key={warning} tone="attention" title="These may go round in a circle">
          <p>{warning}</p>
        </Notice>
      ))}
      {aids.blanks.length > 0 ? (
        <Notice tone="attention" title="Still to fill in">
          <p>{aids.blanks.join(', ')}. Until then it can be saved, but not switched on.</p>
        </Notice>
      ) : null}
    </div>
  )
}

export function SwitchAndSave({ saving }: { saving: boolean }) {
  const { state, errors } = useRuleForm()
  const notActive = Object.hasOwn(errors, 'active') ? errors.active : undefined
  return (
    <div className="grid gap-4 border-t border-line pt-5">
      <BoxControl name="active" hint="Switched off, it is kept and does nothing.">
        Active
      </BoxControl>
      {notActive ? <FieldError id="rule-active-error" errors={notActive} /> : null}
      {asksAboutExisting(state) ? (
        <Choice
          name="includeExisting"
          legend="What about records that match already?"
          options={[
            { value: '', label: 'Only new ones', hint: 'What matches now is left alone.' },
            { value: 'true', label: 'Also what matches now', hint: 'It acts on those at its next check.' },
          ]}
        />
      ) : null}
      <Button
        type="submit"
        name="intent"
        value="form.save"
        variant="primary"
        size="wide"
        pending={saving}
        pendingLabel={state.ruleId === null ? 'Creating…' : 'Saving…'}
      >
        {state.ruleId === null ? 'Create Automation' : 'Update Automation'}
      </Button>
    </div>
  )
}
