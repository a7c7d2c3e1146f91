import { Link, useSearchParams } from '@remix-run/react'
import { settingsAddress } from '#app/domain/automations/automation-address.ts'
import { GROUPING_FIELDS, writesToCustomers } from '#app/domain/automations/rule.ts'
import { plural } from '#app/domain/time/moments.ts'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import { GROUPING_TEXTS } from '../../rules/form-text.ts'
import { ADVANCED } from '../form-blocks.ts'
import { draftOf } from '../form-body.ts'
import { isShown } from '../form-shown.ts'
import type { FormState } from '../form-state.ts'
import { ActionSection } from './action-section.tsx'
import { Part } from './block.tsx'
import { ConditionSection } from './condition-section.tsx'
import { useRuleForm } from './form-context.tsx'
import { BoxControl, SelectControl, ShowFields, TextControl } from './form-controls.tsx'
import { LoopWarnings, OftenSection } from './rule-sections.tsx'

/** What stands below the trigger, once there is one. */
export function RestSections() {
  return (
    <>
      <ConditionSection />
      <ActionSection />
      <LoopWarnings />
      <AdvancedSection />
    </>
  )
}

/** What most rules do not need: a description, combining, limits, and protection for customers. */
export function AdvancedSection() {
  const { state } = useRuleForm()
  return (
    <Part
      part={ADVANCED}
      line={
        <>
          <span>Advanced</span> <span className="font-normal text-ink-soft">{limitWords(state)}</span>
        </>
      }
    >
      <TextControl name="description" label="Description" hint="Optional. For you and your colleagues." />
      {isShown(state, 'enableGrouping') ? <Combine /> : null}
      {writesToCustomers(draftOf(state)) ? null : <OftenSection />}
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextControl
          name="cooldownDays"
          path="guards.cooldownDays"
          label="Days between messages to one number or e-mail"
          hint="Texts and e-mails count apart."
          type="number"
          min={0}
          placeholder="No limit"
        />
        <TextControl
          name="dailyCap"
          path="guards.dailyCap"
          label="Most customer messages a day"
          type="number"
          min={1}
          placeholder="Account limit"
        />
      </div>
      <div className="grid">
        <BoxControl name="respectQuietHours" hint={<QuietHint />}>
          Respect quiet hours
        </BoxControl>
        <BoxControl name="recheckBeforeSending" hint="Skips customers who no longer match.">
          Check the conditions again just before sending
        </BoxControl>
        <BoxControl name="askFirst" hint="You approve each run. Its conditions are then checked again.">
          Ask me first
        </BoxControl>
      </div>
    </Part>
  )
}

/** Combines matching records into one run. */
function Combine() {
  const { state } = useRuleForm()
  return (
    <div className="grid gap-2">
      <h3 className="text-dense text-ink-soft">Group Actions</h3>
      <BoxControl name="enableGrouping" hint="For example one e-mail per customer listing all their jobs.">
        Combine matching records
      </BoxControl>
      {isShown(state, 'groupingField') ? (
        <SelectControl
          name="groupingField"
          label="Group by"
          none="Choose what to group by"
          options={GROUPING_FIELDS.map((value) => ({ value, label: GROUPING_TEXTS[value] }))}
          hint="Write {job_list} or {count} in your texts."
        />
      ) : null}
      {isShown(state, 'digest') ? (
        <BoxControl name="digest" hint="One message with {count} and {job_list}.">
          One run for all matches
        </BoxControl>
      ) : null}
      <ShowFields place={ADVANCED}>Show the grouping</ShowFields>
    </div>
  )
}

/** What is set, in a line. */
function limitWords({ values }: FormState): string {
  const polls = values.triggerSource === 'api_polling'
  const words = [
    polls && values.enableGrouping === 'true' ? 'combined' : '',
    polls && values.digest === 'true' ? 'one run for all' : '',
    /^0*$/.test(values.cooldownDays) ? '' : `${plural(Number(values.cooldownDays), 'day')} between messages`,
    values.dailyCap === '' ? '' : `${plural(Number(values.dailyCap), 'message')} a day`,
    values.respectQuietHours === 'true' ? 'quiet hours' : '',
    values.recheckBeforeSending === 'true' ? 'checks again' : '',
    values.askFirst === 'true' ? 'asks you first' : '',
  ].filter(Boolean)
  const limits = words.length === 0 ? 'No limits set' : words.join(', ')
  return values.description.trim() === '' ? limits : `${values.description.trim()} · ${limits}`
}

/** The account's quiet hours, with a link to them. */
function QuietHint() {
  const { quiet } = useRuleForm()
  const [query] = useSearchParams()
  if (!quiet) return <>Messages to customers wait until your quiet hours are over.</>
  const account = { accountUUID: query.get('accountUUID') ?? '', admin: query.get('admin') === 'yes' }
  return (
    <>
      {quiet.words} {/* Opens in a new tab, so the form keeps its input. */}
      <Link
        to={settingsAddress(account)}
        target="_blank"
        rel="noopener"
        className="text-accent underline underline-offset-4"
      >
        {quiet.link}
        <VisuallyHidden>(opens in a new tab)</VisuallyHidden>
      </Link>
    </>
  )
}
