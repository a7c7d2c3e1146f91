// One job with all its related records and every action of a person.
import type { AccountView, SandboxRecord } from '../../world.ts'
import { ConversationCard, type ConversationRow } from '../conversation-card.tsx'
import { QuickForms, StatusButtons } from '../job-item.tsx'
import { type JobView, text } from '../job-view.ts'
import { AccountNav, type ClockView, Page, type Said } from '../layout.tsx'
import { Badge, Card, Choice, Empty, Form, Table, TextField } from '../parts.tsx'
import { TrailCard } from '../trail.tsx'
import type { Trail } from '../trails.server.ts'
import { moneyWords, statusTone, wallWords } from '../words.ts'

interface JobPageView {
  account: AccountView
  job: JobView
  queues: readonly (readonly [string, string])[]
  staff: readonly (readonly [string, string])[]
  badges: readonly (readonly [string, string])[]
  forms: readonly (readonly [string, string])[]
  /** Related records, newest first. */
  contacts: SandboxRecord[]
  lines: SandboxRecord[]
  activities: SandboxRecord[]
  notes: SandboxRecord[]
  payments: SandboxRecord[]
  tasks: SandboxRecord[]
  files: { record: SandboxRecord; stored: boolean }[]
  answers: SandboxRecord[]
  conversation: ConversationRow[]
  trail: Trail | null
  clock: ClockView
  said: Said | null
}

export function JobPage(view: JobPageView) {
  const { account, job, queues, trail, clock, said } = view
  const back = `/sandbox/console/accounts/${account.uuid}/jobs/${job.uuid}`
  const context = { accountUuid: account.uuid, currency: account.currency, localNow: account.localNow, queues, back }
  return (
    <Page title={`Job ${job.number}`} here="account" back={back} clock={clock} said={said}>
      <p className="over">{account.name}</p>
      <h1>
        Job {job.number || '–'}
        {job.customer === '' ? '' : ` · ${job.customer}`}
      </h1>
      <AccountNav account={account} here="jobs" />
      {trail ? <TrailCard id="trail" trail={trail} zone={account.timezone} now={clock.now} back={back} /> : null}
      <Card id="job" title={job.description || 'No description'}>
        <p className="job-facts">
          <Badge tone={statusTone(job.status)}>{job.status}</Badge>
          <span>{moneyWords(job.total, account.currency)}</span>
          {job.paid ? <span>Paid</span> : null}
          {job.address === '' ? null : <span>{job.address}</span>}
          {job.queue === '' ? null : <span>In queue “{job.queue}”</span>}
          {job.badges.map((badge) => (
            <span key={badge.uuid}>Badge “{badge.name}”</span>
          ))}
          {job.active ? null : <Badge tone="neutral">Deleted</Badge>}
        </p>
        <StatusButtons job={job} context={context} />
        <QuickForms job={job} context={context} />
      </Card>
      <ConversationCard
        account={account}
        jobUuid={job.uuid}
        rows={view.conversation}
        from={{ sms: wayTo(view, 'mobile'), email: wayTo(view, 'email') }}
        back={back}
      />
      <Doings view={view} back={back} />
      <Diary view={view} back={back} />
    </Page>
  )
}

/** The first contact's number or address; '' = none. */
function wayTo({ contacts }: JobPageView, field: 'mobile' | 'email'): string {
  return contacts.map((one) => text(one[field])).find((value) => value !== '') ?? ''
}

/** Less common actions. */
function Doings({ view, back }: { view: JobPageView; back: string }) {
  const { account, job, staff, badges, forms } = view
  const to = `accounts/${account.uuid}/jobs/${job.uuid}`
  return (
    <Card id="doings" title="What else people do">
      <div className="forms">
        <Form to={`${to}/schedule`} back={back}>
          <Choice
            id="schedule-staff"
            name="staff"
            label="Who is booked"
            value={account.ownerStaffUuid}
            options={staff}
          />
          <button type="submit">Book for tomorrow</button>
        </Form>
        <Form to={`${to}/check-in`} back={back}>
          <Choice
            id="check-in-staff"
            name="staff"
            label="Who is on site"
            value={account.ownerStaffUuid}
            options={staff}
          />
          <div className="buttons">
            <button type="submit">Check in</button>
            <button type="submit" formAction={`/sandbox/console/${to}/check-out`}>
              Check out
            </button>
          </div>
        </Form>
        <Form to={`${to}/material`} back={back}>
          <TextField id="line-name" name="name" label="What is charged" value="Sundries" maxLength={200} required />
          <div className="pair">
            <TextField
              id="line-quantity"
              name="quantity"
              label="Quantity"
              type="number"
              step="0.01"
              min={0.01}
              value={1}
              required
            />
            <TextField
              id="line-price"
              name="price"
              label="Price each"
              type="number"
              step="0.01"
              min={0}
              value={25}
              required
            />
          </div>
          <button type="submit">Add a line</button>
        </Form>
        <Form to={`${to}/contact`} back={back}>
          <div className="pair">
            <TextField id="contact-first" name="first" label="First name" value="Robin" maxLength={50} required />
            <TextField id="contact-last" name="last" label="Last name" value="Ferry" maxLength={50} />
          </div>
          <TextField id="contact-mobile" name="mobile" label="Mobile" type="tel" maxLength={30} />
          <TextField id="contact-email" name="email" label="E-mail" type="email" maxLength={100} />
          <Choice
            id="contact-type"
            name="type"
            label="What for"
            options={[
              ['JOB', 'On site'],
              ['BILLING', 'For invoices'],
              ['Property Manager', 'Property manager'],
            ]}
          />
          <button type="submit">Add a contact</button>
        </Form>
        <Form to={`${to}/task`} back={back}>
          <TextField id="task-name" name="name" label="Task" value="Ring the customer" maxLength={200} required />
          <Choice id="task-staff" name="staff" label="Who does it" value={account.ownerStaffUuid} options={staff} />
          <button type="submit">Add a task</button>
        </Form>
        <Form to={`${to}/badge`} back={back}>
          <Choice id="badge" name="badge" label="Badge" options={badges} />
          <div className="buttons">
            <button type="submit">Put it on</button>
            <button type="submit" formAction={`/sandbox/console/${to}/unbadge`}>
              Take it off
            </button>
          </div>
        </Form>
        <Form to={`${to}/form`} back={back}>
          <Choice id="form" name="form" label="Form" options={forms} />
          <button type="submit">Fill in the form</button>
        </Form>
        <Form to={`${to}/photo`} back={back}>
          <TextField id="photo" name="name" label="Photo" value="Site photo.jpg" maxLength={120} required />
          <button type="submit">Add a photo</button>
        </Form>
        <Form to={`${to}/quote-sent`} back={back}>
          <p className="hint">The papers of this job.</p>
          <div className="buttons">
            <button type="submit">Send the quote</button>
            <button type="submit" formAction={`/sandbox/console/${to}/invoice-sent`}>
              Send the invoice
            </button>
          </div>
        </Form>
        <Form to={`${to}/${job.active ? 'delete' : 'restore'}`} back={back}>
          <p className="hint">{job.active ? 'Deleted jobs are kept and can come back.' : 'This job is deleted.'}</p>
          <button type="submit" className={job.active ? 'danger' : undefined}>
            {job.active ? 'Delete the job' : 'Bring the job back'}
          </button>
        </Form>
      </div>
    </Card>
  )
}

function roleWords(type: string): string {
  if (type === 'JOB') return 'on site'
  return type === 'BILLING' ? 'for invoices' : type.toLowerCase()
}

function Diary({ view, back }: { view: JobPageView; back: string }) {
  const to = `accounts/${view.account.uuid}/jobs/${view.job.uuid}`
  const { account, contacts, lines, activities, notes, payments, tasks, files, answers } = view
  const when = (value: unknown) => wallWords(text(value), account.localNow)
  const who = (uuid: unknown) => view.staff.find(([one]) => one === uuid)?.[1] ?? '–'
  return (
    <div className="columns">
      <Card id="contacts" title="Contacts">
        {contacts.length === 0 ? (
          <Empty>Nobody is written down: messages to this job’s contact must be skipped.</Empty>
        ) : null}
        <ul className="plain">
          {contacts.map((one) => (
            <li key={one.uuid}>
              <strong>{`${text(one.first)} ${text(one.last)}`}</strong>{' '}
              <span className="hint">{roleWords(text(one.type))}</span>
              <br />
              {[one.mobile, one.phone, one.email]
                .map(text)
                .filter((part) => part !== '')
                .join(' · ') || 'No way to reach them'}
              <Form to={`${to}/remove-contact`} back={back} className="buttons">
                <input type="hidden" name="contact" value={one.uuid} />
                <button type="submit" aria-label={`Remove ${text(one.first)} ${text(one.last)}`}>
                  Remove
                </button>
              </Form>
            </li>
          ))}
        </ul>
      </Card>
      <Card id="lines" title="Lines">
        {lines.length === 0 ? (
          <Empty>No lines yet, so the job costs nothing.</Empty>
        ) : (
          <Table
            caption="Lines of the job"
            heads={['What', 'Quantity', 'Price each']}
            rows={lines.map((one) => ({
              key: one.uuid,
              cells: [
                text(one.name),
                text(one.quantity),
                moneyWords(one.displayed_amount || one.price, account.currency),
              ],
            }))}
          />
        )}
      </Card>
      <Card id="activities" title="Bookings and visits">
        {activities.length === 0 ? <Empty>Nobody is booked and nobody has been there.</Empty> : null}
        <ul className="plain">
          {activities.map((one) => (
            <li key={one.uuid}>
              <strong>{Number(one.activity_was_recorded) === 1 ? 'Visit' : 'Booking'}</strong> {who(one.staff_uuid)},{' '}
              {when(one.start_date)} to {when(one.end_date)}
            </li>
          ))}
        </ul>
      </Card>
      <Card id="notes" title="Notes">
        {notes.length === 0 ? <Empty>No notes yet.</Empty> : null}
        <ul className="plain">
          {notes.map((one) => (
            <li key={one.uuid}>
              <p className="pre">{text(one.note)}</p>
              <p className="hint">{when(one.create_date)}</p>
            </li>
          ))}
        </ul>
      </Card>
      <Card id="payments" title="Payments">
        {payments.length === 0 ? <Empty>Nothing has been paid.</Empty> : null}
        <ul className="plain">
          {payments.map((one) => (
            <li key={one.uuid}>
              <strong>{moneyWords(one.amount, account.currency)}</strong> {text(one.method)}, {when(one.timestamp)}
            </li>
          ))}
        </ul>
      </Card>
      <Card id="papers" title="Tasks, files and forms">
        {tasks.length + files.length + answers.length === 0 ? <Empty>None yet.</Empty> : null}
        <ul className="plain">
          {tasks.map((one) => (
            <li key={one.uuid}>
              <strong>Task</strong> {text(one.name)},{' '}
              {Number(one.task_complete) === 1 ? 'done' : `due ${when(one.due_date)}`}
            </li>
          ))}
          {files.map(({ record, stored }) => (
            <li key={record.uuid}>
              <strong>File</strong>{' '}
              {stored ? (
                <a href={`/sandbox/console/accounts/${account.uuid}/files/${record.uuid}`}>
                  {text(record.attachment_name)}
                </a>
              ) : (
                text(record.attachment_name)
              )}
              , {when(record.timestamp)}
            </li>
          ))}
          {answers.map((one) => (
            <li key={one.uuid}>
              <strong>Form</strong> {view.forms.find(([uuid]) => uuid === one.form_uuid)?.[1] ?? 'Unknown form'}
            </li>
          ))}
        </ul>
      </Card>
    </div>
  )
}
