// How a person opens the add-on inside the platform, and the add-on's answer.
import type { AccountView, OpeningAnswer } from '../../world.ts'
import { AccountNav, type ClockView, Page, type Said } from '../layout.tsx'
import { Badge, Card, Choice, Code, Form, TextField } from '../parts.tsx'

interface OpeningView {
  account: AccountView
  staff: readonly (readonly [string, string])[]
  jobs: readonly (readonly [string, string])[]
  /** Another name of this machine, for a third-party frame. '' when there is none. */
  otherSite: string
  clock: ClockView
  said: Said | null
}

export function OpeningPage({ account, staff, jobs, otherSite, clock, said }: OpeningView) {
  const back = `/sandbox/console/accounts/${account.uuid}/opening`
  return (
    <Page title={`Opening Fieldhook from ${account.name}`} here="account" back={back} clock={clock} said={said}>
      <h1>{account.name}</h1>
      <AccountNav account={account} here="opening" />
      <Card
        id="opening"
        title="Open Fieldhook from inside ServiceM8"
        about="A person presses the add-on’s button. The platform posts a signed note of who that is to the add-on and shows its answer."
      >
        <Form to={`accounts/${account.uuid}/opening`} back={back}>
          <div className="forms">
            <Choice id="staff" name="staff" label="Who presses it" value={account.ownerStaffUuid} options={staff} />
            <Choice
              id="job"
              name="job"
              label="On which job"
              hint="Leave it empty for the button in the menu."
              options={[['', 'None'], ...jobs]}
            />
            <TextField
              id="event"
              name="event"
              label="Event name"
              hint="As the add-on’s manifest names the button."
              value="fieldhook_open"
              maxLength={80}
            />
          </div>
          <div className="buttons">
            <button type="submit" name="how" value="frame" className="primary">
              Show it in a frame
            </button>
            {otherSite === '' ? null : (
              <button type="submit" name="how" value="other-site">
                Show it in a frame of another site
              </button>
            )}
            <button type="submit" name="how" value="tab" formTarget="_blank">
              Open it in a new tab
            </button>
            <button type="submit" name="how" value="token">
              Only show the signed note
            </button>
          </div>
          {otherSite === '' ? null : (
            <p className="hint">
              In a frame of another site the browser treats Fieldhook’s cookies as a third party’s, as it does inside
              the real ServiceM8.
            </p>
          )}
        </Form>
      </Card>
    </Page>
  )
}

export interface Opened {
  id: number
  account: { uuid: string; name: string }
  who: string
  answer: OpeningAnswer
}

/** The platform's window around the add-on. */
export function OpenedPage({ opened, clock }: { opened: Opened; clock: ClockView }) {
  const { id, account, who, answer } = opened
  const source = answer.location === '' ? `/sandbox/console/opened/${id}/answer` : answer.location
  const good = answer.status !== null && answer.status < 400
  return (
    <Page
      title="Fieldhook in ServiceM8"
      here="account"
      back={`/sandbox/console/accounts/${account.uuid}/opening`}
      clock={clock}
    >
      <h1>Fieldhook, inside ServiceM8</h1>
      <p className="job-facts">
        <span>{account.name}</span>
        <span>as {who}</span>
        <Badge tone={good ? 'working' : 'failing'}>
          {answer.status === null ? `No answer: ${answer.error}` : `The add-on answered ${answer.status}`}
        </Badge>
        {answer.location === '' ? null : <span>and sent the person on</span>}
        <a href={`/sandbox/console/accounts/${account.uuid}/opening`}>Open it again</a>
      </p>
      {answer.status === null ? (
        <p className="said failing" role="alert">
          Nothing listens at the add-on’s address for signed calls.
        </p>
      ) : (
        <iframe className="addon" title="Fieldhook" src={source} />
      )}
      <p className="hint">
        The note in it can be used once. If the frame says so after a reload, open the add-on again.
      </p>
    </Page>
  )
}

interface SignedNote {
  account: AccountView
  jwt: string
  postTo: string
  /** The claims as JSON text. */
  claims: string
  clock: ClockView
}

export function SignedNotePage({ account, jwt, postTo, claims, clock }: SignedNote) {
  return (
    <Page title="Signed note" here="account" back={`/sandbox/console/accounts/${account.uuid}/opening`} clock={clock}>
      <h1>{account.name}</h1>
      <AccountNav account={account} here="opening" />
      <Card id="note" title="The signed note" about="Valid for ten minutes. The platform posts it as the whole body.">
        <Code text={jwt} whole />
        <h3>What it says</h3>
        <Code text={claims} />
        <h3>Post it by hand</h3>
        <Code text={`curl -i -H 'content-type: application/jwt' --data '${jwt}' '${postTo}'`} whole />
      </Card>
    </Page>
  )
}
