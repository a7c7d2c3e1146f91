// One job in a list: its data, its status as buttons, and the most common actions.
import { JOB_STATUSES } from '../world.ts'
import type { JobView } from './job-view.ts'
import { Badge, Choice, Form, TextField } from './parts.tsx'
import { moneyWords, statusTone, wallWords } from './words.ts'

interface JobContext {
  accountUuid: string
  currency: string
  /** Now, in the account's local time. */
  localNow: string
  /** Active queues: uuid and name. */
  queues: readonly (readonly [string, string])[]
  back: string
}

export function JobItem({ job, context }: { job: JobView; context: JobContext }) {
  const id = `job-${job.uuid}`
  const { accountUuid, currency, localNow } = context
  return (
    <li>
      <article className="job" id={id} aria-labelledby={`${id}-title`}>
        <div className="job-words">
          <h3 id={`${id}-title`}>
            <a href={`/sandbox/console/accounts/${accountUuid}/jobs/${job.uuid}`}>Job {job.number || '–'}</a>
            {job.customer === '' ? '' : ` · ${job.customer}`}
          </h3>
          {job.description === '' ? null : <p className="job-text">{job.description}</p>}
          <p className="job-facts">
            <Badge tone={statusTone(job.status)}>{job.status}</Badge>
            <span>{moneyWords(job.total, currency)}</span>
            {job.category === '' ? null : <span>{job.category}</span>}
            {job.queue === '' ? null : <span>In queue “{job.queue}”</span>}
            {job.booked === '' ? null : <span>Booked {wallWords(job.booked, localNow)}</span>}
            {job.paid ? <span>Paid</span> : null}
            {job.active ? null : <Badge tone="neutral">Deleted</Badge>}
          </p>
        </div>
        <StatusButtons job={job} context={context} />
        <details className="job-more">
          <summary>
            Note, description, queue, payment<span className="hidden"> of job {job.number}</span>
          </summary>
          <QuickForms job={job} context={context} />
        </details>
      </article>
    </li>
  )
}

/** Labelled exactly like the statuses; the current status is pressed. */
export function StatusButtons({ job, context }: { job: JobView; context: JobContext }) {
  return (
    <Form to={`accounts/${context.accountUuid}/jobs/${job.uuid}/status`} back={context.back}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as one row everywhere */}
      <div role="group" className="statuses" aria-label={`Status of job ${job.number}`}>
        {JOB_STATUSES.map((status) => (
          <button
            key={status}
            className="status"
            type="submit"
            name="status"
            value={status}
            aria-pressed={status === job.status}
          >
            {status}
          </button>
        ))}
      </div>
    </Form>
  )
}

/** The four most common actions. */
export function QuickForms({ job, context }: { job: JobView; context: JobContext }) {
  const { accountUuid, currency, queues, back } = context
  const to = `accounts/${accountUuid}/jobs/${job.uuid}`
  const id = (name: string) => `${name}-${job.uuid}`
  return (
    <div className="forms">
      <Form to={`${to}/note`} back={back}>
        <TextField id={id('note')} name="text" label="Note" rows={2} maxLength={2000} required />
        <button type="submit">Add a note</button>
      </Form>
      <Form to={`${to}/description`} back={back}>
        <TextField
          id={id('description')}
          name="text"
          label="Description"
          rows={2}
          maxLength={2000}
          value={job.description}
        />
        <button type="submit">Edit description</button>
      </Form>
      <Form to={`${to}/queue`} back={back}>
        <Choice
          id={id('queue')}
          name="queue"
          label="Queue"
          value={job.queueUuid}
          options={[['', 'In no queue'], ...queues]}
        />
        <button type="submit">Move to queue</button>
      </Form>
      <Form to={`${to}/payment`} back={back}>
        <div className="pair">
          <TextField
            id={id('amount')}
            name="amount"
            label={`Amount (${currency})`}
            type="number"
            step="0.01"
            min={0.01}
            max={1_000_000}
            value={Number(job.total) > 0 ? job.total : undefined}
            required
          />
          <Choice
            id={id('method')}
            name="method"
            label="Paid by"
            options={['Card', 'Bank Transfer', 'Cash', 'Cheque'].map((one) => [one, one])}
          />
        </div>
        <button type="submit">Record payment</button>
      </Form>
    </div>
  )
}
