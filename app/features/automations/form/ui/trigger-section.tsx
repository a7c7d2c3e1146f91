import { CalendarClock, type LucideIcon, Plug, Zap } from 'lucide-react'
import {
  JOB_STATUSES,
  POLL_ENDPOINTS,
  POLL_INTERVALS,
  REPLY_MATCHES,
  TRIGGER_SOURCES,
  TRIGGER_TYPES,
  type TriggerSource,
} from '#app/domain/automations/rule.ts'
import { plural } from '#app/domain/time/moments.ts'
import { capital } from '#app/lib/plain-text.ts'
import { Notice } from '#app/ui/notice.tsx'
import {
  ENDPOINT_TEXTS,
  INTERVAL_TEXTS,
  REPLY_TEXTS,
  SOURCE_TEXTS,
  TRIGGER_TYPE_TEXTS,
  WATCHED_TEXTS,
} from '../../rules/form-text.ts'
import { isWhenComplete, WHEN } from '../form-blocks.ts'
import { BECOMES } from '../form-change.ts'
import { asksBecomes, isShown, shownValues } from '../form-shown.ts'
import { partsShown } from '../form-state.ts'
import { Block, Fold, isWrongAt, Part } from './block.tsx'
import { useControl, useRuleForm } from './form-context.tsx'
import { BoxControl, SelectControl, ShowFields, TextControl } from './form-controls.tsx'
import { LaterEdits } from './rule-sections.tsx'
import { ScheduleFields, ScheduleTimes } from './schedule-fields.tsx'

/** The trigger of the rule: an event, a polled list, or an external call. */
export function TriggerSection() {
  const { state, aids } = useRuleForm()
  const { triggerSource } = state.values
  const done = isWhenComplete(state)
  // The block says "When" already.
  const line = done && aids.sentence ? capital(aids.sentence.when.replace(/^When /, '')) : 'Choose what starts it'
  return (
    <Block id="trigger" word="When" title="Trigger Configuration" done={done}>
      <Part part={WHEN} line={line}>
        <Sources />
        {triggerSource === 'webhook' ? <WebhookTrigger /> : null}
        {triggerSource === 'api_polling' ? <PollTrigger /> : null}
        {triggerSource === 'manual_endpoint' ? <ManualTrigger /> : null}
        <ShowFields place={WHEN}>Continue</ShowFields>
        <LaterEdits />
        {partsShown(state).rest ? <MorePrecise /> : null}
      </Part>
    </Block>
  )
}

const SOURCE_ICONS: Readonly<Record<TriggerSource, LucideIcon>> = {
  webhook: Zap,
  api_polling: CalendarClock,
  manual_endpoint: Plug,
}

function Sources() {
  const { id, name, value, set } = useControl('triggerSource')
  const chosen = TRIGGER_SOURCES.find((source) => source === value)
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1.5 text-dense text-ink-soft">Trigger Source</legend>
      <div className="grid gap-2 sm:grid-cols-3">
        {TRIGGER_SOURCES.map((source) => {
          const Icon = SOURCE_ICONS[source]
          return (
            <label
              key={source}
              htmlFor={`${id}-${source}`}
              className="relative flex min-h-11 cursor-pointer items-center gap-3 rounded-control border border-line-strong px-3 py-2 text-label has-[input:checked]:border-accent has-[input:checked]:bg-accent-soft has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-accent has-[input:focus-visible]:outline-offset-2 sm:flex-col sm:items-start sm:gap-1.5"
            >
              <input
                id={`${id}-${source}`}
                type="radio"
                name={name}
                value={source}
                checked={value === source}
                onChange={() => set(source)}
                className="sr-only"
              />
              <Icon aria-hidden className="size-5 shrink-0 text-accent" />
              <span>
                <span className="block font-medium">{SOURCE_TEXTS[source].title}</span>
                <span className="block text-dense text-ink-soft">{SOURCE_TEXTS[source].label}</span>
              </span>
            </label>
          )
        })}
      </div>
      {chosen ? <p className="text-dense text-ink-soft">{SOURCE_TEXTS[chosen].hint}</p> : null}
    </fieldset>
  )
}

function WebhookTrigger() {
  const { state, aids, lists } = useRuleForm()
  const { events, triggerType } = state.values
  const object = events.split(':').at(-1) ?? ''
  const types = TRIGGER_TYPES.filter(
    (type) => object === 'job' || !/^(job_(status|queue)$|customer_|message_)/.test(type),
  )
  return (
    <div className="grid items-start gap-3 sm:grid-cols-2">
      <EventsControl />
      {events === '' ? null : (
        <SelectControl
          name="triggerType"
          lead="What happens"
          label="Trigger Type"
          none="Choose what has to happen"
          options={types.map((value) => ({ value, label: TRIGGER_TYPE_TEXTS[value] }))}
        />
      )}
      {asksBecomes(state) ? (
        <SelectControl
          name={BECOMES}
          label="Only when it becomes"
          none="Any status"
          options={JOB_STATUSES.map((value) => ({ value, label: value }))}
        />
      ) : null}
      {isShown(state, 'replyMatch') ? <AnswerFields /> : null}
      {/^(customer|message)_/.test(triggerType) ? <HistoryLine /> : null}
      {isShown(state, 'triggerQueueUuid') ? (
        <SelectControl
          name="triggerQueueUuid"
          label="Queue"
          none="Any queue"
          hint={lists.queues.length === 0 ? 'Sign in to ServiceM8 to see your queues.' : undefined}
          options={lists.queues.map(({ uuid, label }) => ({ value: uuid, label }))}
        />
      ) : null}
      {isShown(state, 'triggerFieldName') ? (
        <SelectControl
          name="triggerFieldName"
          label="Field"
          none="Any field"
          options={aids.fields.filter((one) => one.isNews).map(({ name, label }) => ({ value: name, label }))}
        />
      ) : null}
    </div>
  )
}

/** Which answers start it, and what that means for waiting messages. */
function AnswerFields() {
  const { state } = useRuleForm()
  const { replyMatch } = state.values
  return (
    <>
      <SelectControl
        name="replyMatch"
        label="Which answers"
        none={null}
        hint={replyMatch === 'yes' ? 'Their other messages are sent.' : 'Their other messages wait for you.'}
        options={REPLY_MATCHES.map((value) => ({ value, label: REPLY_TEXTS[value] }))}
      />
      {isShown(state, 'replyWords') ? (
        <TextControl name="replyWords" label="Words" hint="Separate them with commas: later, reschedule" />
      ) : null}
    </>
  )
}

/** What is read, or why nothing can be. */
function HistoryLine() {
  const { state, listening } = useRuleForm()
  const isAnswer = state.values.triggerType === 'customer_replied'
  const cannot = listening === 'refused' || isAnswer ? listening : null
  const text = LISTENING_TEXTS[cannot ?? (isAnswer ? 'answers' : 'receipts')]
  return <p className="text-dense text-ink-soft sm:col-span-2">{text}</p>
}

const LISTENING_TEXTS: Readonly<Record<'answers' | 'receipts' | 'refused' | 'no_answers', string>> = {
  answers: 'Reads answers to texts and e-mails of your automations, for 14 days.',
  receipts: 'Reads the delivery of messages that your automations linked to a job.',
  refused: 'ServiceM8 shows us no messages yet. Reconnect in the Webhook Manager.',
  no_answers: 'ServiceM8 has shown us no customer answer yet.',
}

function EventsControl() {
  const { state, webhooks } = useRuleForm()
  const { events } = state.values
  const object = events.split(':').at(-1) ?? ''
  const choices = webhooks.map(({ id, objectType, label, active }) => ({
    value: `webhook:${id}:${objectType}`,
    label: `Webhook for ${label}${active ? '' : ' (paused)'}`,
  }))
  const words = (each: string) => (Object.hasOwn(WATCHED_TEXTS, each) ? WATCHED_TEXTS[each] : each)
  const plain = [...new Set([...Object.keys(WATCHED_TEXTS), ...(events.startsWith('object:') ? [object] : [])])]
  const known = events === '' || choices.some(({ value }) => value === events) || events.startsWith('object:')
  return (
    <SelectControl
      name="events"
      path="webhookSubscriptionId"
      lead="Record"
      label="Webhook Subscription"
      none="Choose a record"
      options={[]}
    >
      <optgroup label="Records">
        {plain.map((each) => (
          <option key={each} value={`object:${each}`}>
            {words(each)}
          </option>
        ))}
      </optgroup>
      {choices.length > 0 ? (
        <optgroup label="Your webhooks">
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </optgroup>
      ) : null}
      {known ? null : <option value={events}>Webhook for {words(object)} (deleted)</option>}
    </SelectControl>
  )
}

function PollTrigger() {
  const { state } = useRuleForm()
  return (
    <div className="grid items-start gap-3 sm:grid-cols-2">
      <SelectControl
        name="apiEndpoint"
        lead="What to check"
        label="API Endpoint"
        hint={state.values.apiEndpoint === '/api_1.0/job.json' ? 'Includes deleted jobs.' : undefined}
        none="Choose what to check"
        options={POLL_ENDPOINTS.map((value) => ({ value, label: ENDPOINT_TEXTS[value] }))}
      />
      <SelectControl
        name="pollInterval"
        lead="How often"
        label="Check Frequency"
        none="Choose how often"
        options={POLL_INTERVALS.map((value) => ({ value, label: INTERVAL_TEXTS[value] }))}
      />
      <input type="hidden" name="apiMethod" value="GET" />
      <ScheduleTimes />
    </div>
  )
}

function ManualTrigger() {
  return (
    <Notice tone="accent" title="It gets its own address">
      <p>
        Save it, then copy the address from its card. Send <code>job_uuid</code> and <code>date</code> (YYYY-MM-DD),
        both required. Use them in texts as {'{job_uuid}'} and {'{date}'}.
      </p>
    </Notice>
  )
}

const PRECISE = ['triggerJobUuid', 'triggerFromValue', 'scheduleType', 'scheduleDate', 'scheduleRecurrence'] as const
const PRECISE_TOO = ['settleMinutes', 'atOnce', 'workingDays', 'runTime', 'weekday', 'dayOfMonth'] as const

/** Rare limits of the trigger. */
function MorePrecise() {
  const { state, errors, lists } = useRuleForm()
  const { triggerJobUuid, triggerType } = state.values
  return (
    <Fold
      place={`${WHEN}.more`}
      summary="More precise"
      set={preciseWords(shownValues(state))}
      wrong={isWrongAt(errors, [...PRECISE, ...PRECISE_TOO])}
    >
      <div className="grid items-start gap-3 sm:grid-cols-2">
        {isShown(state, 'triggerFromValue') && triggerType === 'job_status' ? (
          <SelectControl
            name="triggerFromValue"
            label="Only when it was"
            none="Any status"
            options={JOB_STATUSES.map((value) => ({ value, label: value }))}
          />
        ) : null}
        {isShown(state, 'triggerFromValue') && triggerType === 'job_field' ? (
          <TextControl name="triggerFromValue" label="Only when it was" hint="Leave empty for any value." />
        ) : null}
        {isShown(state, 'triggerJobUuid') && (lists.jobs.length > 0 || triggerJobUuid !== '') ? (
          <SelectControl
            name="triggerJobUuid"
            label="Job"
            none="Any job"
            options={lists.jobs.map(({ uuid, label }) => ({ value: uuid, label }))}
          />
        ) : null}
        {isShown(state, 'settleMinutes') ? (
          <TextControl
            name="settleMinutes"
            label="Wait first, in minutes"
            type="number"
            min={0}
            max={1440}
            hint="Waits for edits to settle. 0 = at once."
          />
        ) : null}
      </div>
      <ScheduleFields />
      {isShown(state, 'workingDays') ? <BoxControl name="workingDays">Monday to Friday only</BoxControl> : null}
      {isShown(state, 'atOnce') ? (
        <BoxControl name="atOnce" hint="Works when every rule for the same object has it.">
          Skip the short wait for more changes
        </BoxControl>
      ) : null}
      <ShowFields place={`${WHEN}.more`}>Show its fields</ShowFields>
    </Fold>
  )
}

function preciseWords(values: ReturnType<typeof shownValues>): string {
  return [
    values.triggerFromValue === '' ? '' : `from ${values.triggerFromValue}`,
    values.triggerJobUuid === '' ? '' : 'one job',
    /^0*$/.test(values.settleMinutes) ? '' : `after ${plural(Number(values.settleMinutes), 'minute')}`,
    values.scheduleType === 'immediate' ? '' : values.scheduleType,
  ]
    .filter(Boolean)
    .join(', ')
}
