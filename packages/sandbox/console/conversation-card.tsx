// The customer's side of a job: what was sent, what was answered, and the buttons that answer, open or bounce.
import type { AccountView, SandboxRecord } from '../world.ts'
import { text } from './job-view.ts'
import { Badge, Card, Empty, Form, TextField } from './parts.tsx'
import { wallWords } from './words.ts'

export interface ConversationRow {
  channel: 'sms' | 'email'
  row: SandboxRecord
  /** False = the history does not show it yet. */
  shown: boolean
}

interface ConversationProps {
  account: AccountView
  jobUuid: string
  /** Newest first. */
  rows: readonly ConversationRow[]
  /** The customer's mobile and e-mail, as far as known. */
  from: { sms: string; email: string }
  back: string
}

export function ConversationCard({ account, jobUuid, rows, from, back }: ConversationProps) {
  const to = `accounts/${account.uuid}/jobs/${jobUuid}`
  return (
    <Card id="conversation" title="The customer" about="Texts and e-mails about this job, as ServiceM8 keeps them.">
      <div className="forms">
        {(['sms', 'email'] as const).map((channel) => (
          <Form key={channel} to={`${to}/answers`} back={back}>
            <input type="hidden" name="channel" value={channel} />
            <TextField
              id={`answer-${channel}`}
              name="text"
              label={channel === 'sms' ? 'The customer answers by text' : 'The customer answers by e-mail'}
              rows={2}
              maxLength={1600}
              required
            />
            <TextField id={`answer-from-${channel}`} name="from" label="From" value={from[channel]} maxLength={200} />
            <button type="submit">{channel === 'sms' ? 'Answer by text' : 'Answer by e-mail'}</button>
          </Form>
        ))}
      </div>
      {rows.length === 0 ? <Empty>Nothing was sent about this job.</Empty> : null}
      <ul className="plain">
        {rows.map((one) => (
          <li key={one.row.uuid}>
            <Entry entry={one} account={account} to={to} back={back} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

interface EntryProps {
  entry: ConversationRow
  account: AccountView
  to: string
  back: string
}

function Entry({ entry: { channel, row, shown }, account, to, back }: EntryProps) {
  const inbound = row.direction === 'inbound'
  const kind = channel === 'sms' ? 'Text' : 'E-mail'
  return (
    <>
      <strong>{inbound ? `${kind} from ${text(row.from) || 'somebody'}` : `${kind} to ${text(row.to)}`}</strong>{' '}
      <span className="hint">{wallWords(text(row.timestamp), account.localNow)}</span>{' '}
      {shown ? null : <Badge tone="attention">Not shown yet</Badge>}
      {text(row.bounced) === '1' ? <Badge tone="failing">Came back</Badge> : null}
      {text(row.opened) === '1' ? <Badge tone="working">Opened</Badge> : null}
      <p className="pre">{text(row.message) || text(row.subject)}</p>
      {channel === 'email' && !inbound ? (
        <Form to={`${to}/opens`} back={back} className="buttons">
          <input type="hidden" name="row" value={row.uuid} />
          <button type="submit">The customer opens it</button>
          <button type="submit" formAction={`/sandbox/console/${to}/bounces`}>
            It bounces
          </button>
        </Form>
      ) : null}
    </>
  )
}
