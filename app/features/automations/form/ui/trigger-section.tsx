import {
  JOB_STATUSES,
  POLL_ENDPOINTS,
  POLL_INTERVALS,
  TRIGGER_SOURCES,
  TRIGGER_TYPES,
} from '#app/domain/automations/rule.ts'
import { Notice } from '#app/ui/notice.tsx'
import {
  ENDPOINT_TEXTS,
  INTERVAL_TEXTS,
  SOURCE_TEXTS,
  TRIGGER_TYPE_TEXTS,
  WATCHED_TEXTS,
} from '../../rules/form-text.ts'
import { isShown } from '../form-shown.ts'
import { partsShown } from '../form-state.ts'
import { useRuleForm } from './form-context.tsx'
import { Choice, FormSection, IntentButton, SelectControl, ShowFields, TextControl } from './form-controls.tsx'
import { ScheduleFields } from './schedule-fields.tsx'

/** The trigger of the rule: an event, a polled list, or an external call. */
export function TriggerSection() {
  const { state } = useRuleForm()
  return (
    <FormSection id="trigger" title="Trigger Configuration" hint="What starts it.">
      <Choice
        name="triggerSource"
        legend="Trigger Source"
        options={TRIGGER_SOURCES.map((value) => ({ value, ...SOURCE_TEXTS[value] }))}
      />
      {state.values.triggerSource === 'webhook' ? <WebhookTrigger /> : null}
      {state.values.triggerSource === 'api_polling' ? <PollTrigger /> : null}
      {state.values.triggerSource === 'manual_endpoint' ? <ManualTrigger /> : null}
      {partsShown(state).rest ? <ScheduleFields /> : null}
      <ShowFields>Continue</ShowFields>
    </FormSection>
  )
}

function WebhookTrigger() {
  const { state, aids, lists } = useRuleForm()
  const { events, triggerType, triggerJobUuid } = state.values
  const object = events.split(':').at(-1) ?? ''
  const types = TRIGGER_TYPES.filter((type) => object === 'job' || !/^job_(status|queue)$/.test(type))
  return (
    <>
      {/* Stacked: side by side, a desktop cuts their texts. */}
      <div className="grid items-start gap-4">
        <EventsControl />
        {events === '' ? null : (
          <SelectControl
            name="triggerType"
            label="Trigger Type"
            none="Choose what has to happen"
            options={types.map((value) => ({ value, label: TRIGGER_TYPE_TEXTS[value] }))}
          />
        )}
      </div>
      {triggerType === 'job_status' ? <BecomesButtons /> : null}
      <div className="grid items-start gap-4 sm:grid-cols-2">
        {isShown(state, 'triggerQueueUuid') ? (
          <SelectControl
            name="triggerQueueUuid"
            label="Queue"
            none="Any queue"
            hint={lists.queues.length === 0 ? 'The list of queues needs you to be signed in to ServiceM8.' : undefined}
            options={lists.queues.map(({ uuid, label }) => ({ value: uuid, label }))}
          />
        ) : null}
        {isShown(state, 'triggerFieldName') ? (
          <SelectControl
            name="triggerFieldName"
            label="Field"
            none="Any field"
            options={aids.fields
              .filter(({ group, never }) => group !== 'age' && never === null)
              .map(({ name, label }) => ({ value: name, label }))}
          />
        ) : null}
        {triggerType === 'job_status' ? (
          <SelectControl
            name="triggerFromValue"
            label="Only when it was"
            none="Any status"
            options={JOB_STATUSES.map((value) => ({ value, label: value }))}
          />
        ) : null}
        {triggerType === 'job_field' ? (
          <TextControl name="triggerFromValue" label="Only when it was" hint="Empty = whatever it was." />
        ) : null}
        {isShown(state, 'triggerJobUuid') && (lists.jobs.length > 0 || triggerJobUuid !== '') ? (
          <SelectControl
            name="triggerJobUuid"
            label="Job"
            none="Any job"
            options={lists.jobs.map(({ uuid, label }) => ({ value: uuid, label }))}
          />
        ) : null}
      </div>
    </>
  )
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
      label="Webhook Subscription"
      hint="Fieldhook asks ServiceM8 for these events by itself; a webhook of yours is not needed."
      none="Choose whose events start it"
      options={[]}
    >
      {choices.length > 0 ? (
        <optgroup label="Your webhooks">
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </optgroup>
      ) : null}
      <optgroup label="Without a webhook">
        {plain.map((each) => (
          <option key={each} value={`object:${each}`}>
            {words(each)}
          </option>
        ))}
      </optgroup>
      {known ? null : <option value={events}>Webhook for {words(object)} (deleted)</option>}
    </SelectControl>
  )
}

/** Each button adds the status as a condition. */
function BecomesButtons() {
  const { state } = useRuleForm()
  const status = state.conditions.find(({ field, operator }) => field === 'status' && operator === 'equals')?.value
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1.5 text-label font-medium">Only when it becomes</legend>
      <div className="flex flex-wrap gap-2">
        {JOB_STATUSES.map((each) => (
          <IntentButton
            key={each}
            intent={`form.becomes:${each}`}
            aria-pressed={status === each}
            variant={status === each ? 'primary' : 'secondary'}
          >
            {each}
          </IntentButton>
        ))}
      </div>
      <p className="text-dense text-ink-soft">Adds a condition below. Without it, any status counts.</p>
    </fieldset>
  )
}

function PollTrigger() {
  const { state } = useRuleForm()
  return (
    <div className="grid items-start gap-4">
      <SelectControl
        name="apiEndpoint"
        label="API Endpoint"
        hint={
          state.values.apiEndpoint === '/api_1.0/job.json'
            ? 'Includes deleted jobs. The next choice leaves them out.'
            : undefined
        }
        none="Choose what to look through"
        options={POLL_ENDPOINTS.map((value) => ({ value, label: ENDPOINT_TEXTS[value] }))}
      />
      <SelectControl
        name="pollInterval"
        label="Check Frequency"
        none="Choose how often"
        options={POLL_INTERVALS.map((value) => ({ value, label: INTERVAL_TEXTS[value] }))}
      />
      <input type="hidden" name="apiMethod" value="GET" />
    </div>
  )
}

function ManualTrigger() {
  return (
    <Notice tone="accent" title="It gets an address of its own">
      <p>
        Once it is saved, its card has the address. A program calls it with <code>job_uuid</code> and <code>date</code>{' '}
        (YYYY-MM-DD), both required. Each call runs it once. Both can be used as placeholders: {'{job_uuid}'} and{' '}
        {'{date}'}.
      </p>
    </Notice>
  )
}
