import { WEEKDAYS } from '#app/domain/time/local-time.ts'
import { RECURRENCE_TEXTS } from '../../rules/form-text.ts'
import { isShown } from '../form-shown.ts'
import { useRuleForm } from './form-context.tsx'
import { DateControl, PickControl, SelectControl, TextControl } from './form-controls.tsx'

const CRON_LINE = 'A cron line, for example 30 7 * * 1'

/** When the rule runs: at once, on a day, or at set times. */
export function ScheduleFields() {
  const { state } = useRuleForm()
  const { triggerSource, scheduleType } = state.values
  const checks = triggerSource === 'api_polling'
  return (
    <div className="grid items-start gap-3 sm:grid-cols-2">
      <div className="sm:col-span-2">
        <SelectControl
          name="scheduleType"
          label="Schedule Type"
          none={null}
          options={[
            { value: 'immediate', label: checks ? 'Immediate: from now on' : 'Immediate: as soon as it happens' },
            { value: 'scheduled', label: checks ? 'Scheduled: from a date on' : 'Scheduled: on a date' },
            {
              value: 'recurring',
              label: checks ? 'Recurring: at set times' : 'Recurring: collected, then at set times',
            },
          ]}
        />
      </div>
      {isShown(state, 'scheduleDate') && scheduleType === 'scheduled' ? <ScheduleDate /> : null}
      {isShown(state, 'scheduleRecurrence') ? (
        <div className="sm:col-span-2">
          <PickControl
            name="scheduleRecurrence"
            label="Recurrence"
            list={Object.entries(RECURRENCE_TEXTS).map(([uuid, label]) => ({ uuid, label }))}
            none={checks ? 'Same as the check frequency' : 'Choose how often'}
            emptyHint=""
            typed={CRON_LINE}
            other="Use a cron line"
          />
        </div>
      ) : null}
      {checks ? null : <ScheduleTimes />}
    </div>
  )
}

function ScheduleDate() {
  const { state } = useRuleForm()
  const checks = state.values.triggerSource === 'api_polling'
  return (
    <DateControl
      name="scheduleDate"
      label="Schedule Date"
      hint={checks ? 'Starts on this day.' : 'Collects until then, and acts at that time.'}
      withTime={!checks}
    />
  )
}

/** The time, the weekday and the day that the rhythm needs. */
export function ScheduleTimes() {
  const { state } = useRuleForm()
  return (
    <>
      {isShown(state, 'scheduleDate') && state.values.scheduleType !== 'scheduled' ? <ScheduleDate /> : null}
      {isShown(state, 'runTime') ? (
        <TextControl name="runTime" label="Time of day" type="time" hint="The time where your business is." />
      ) : null}
      {isShown(state, 'weekday') ? (
        <SelectControl
          name="weekday"
          label="Weekday"
          none={null}
          options={WEEKDAYS.map((label, index) => ({ value: String(index + 1), label }))}
        />
      ) : null}
      {isShown(state, 'dayOfMonth') ? (
        <TextControl
          name="dayOfMonth"
          label="Day of the month"
          type="number"
          min={1}
          max={31}
          hint="In a shorter month: its last day."
        />
      ) : null}
    </>
  )
}
