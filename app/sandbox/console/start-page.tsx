// `/sandbox`: what this is, the accounts and how they open the add-on, and jobs to play with.
import type { AccountView } from '../world.ts'
import { JobItem } from './job-item.tsx'
import type { JobView } from './job-view.ts'
import { type ClockView, Page, type Said } from './layout.tsx'
import { Badge, Card, Choice, Copyable, Form, TextField } from './parts.tsx'
import { TrailCard } from './trail.tsx'
import type { Trail } from './trails.server.ts'
import { clockWords, placeOf } from './words.ts'

export interface StartAccount {
  account: AccountView
  jobs: JobView[]
  /** How many jobs there are in all. */
  total: number
  queues: readonly (readonly [string, string])[]
  companies: readonly (readonly [string, string])[]
}

export interface StartView {
  origin: string
  accounts: StartAccount[]
  trail: Trail | null
  /** Zone of the trail's account. */
  trailZone: string
  clock: ClockView
  said: Said | null
}

const BACK = '/sandbox'

export function StartPage({ origin, accounts, trail, trailZone, clock, said }: StartView) {
  return (
    <Page title="Stage" here="stage" back={BACK} clock={clock} said={said} clockOpen>
      <h1>This is a pretend ServiceM8</h1>
      <p className="lead">
        Two made-up firms live here. Whatever you change travels to Fieldhook exactly as it would from the real
        platform. No e-mail, text or invoice leaves this machine.
      </p>
      {trail ? (
        <TrailCard id="trail" title="What happened" trail={trail} zone={trailZone} now={clock.now} back={BACK} />
      ) : (
        <Card id="steps" title="See an event travel">
          <ol className="steps">
            <li>Open Fieldhook as one of the two firms below, and connect it.</li>
            <li>
              Create a webhook for Job with this callback address:{' '}
              <Copyable label="Callback address" text={`${origin}/sandbox/receiver/demo`} />
            </li>
            <li>Come back, press another status on a job, and watch where it went.</li>
          </ol>
        </Card>
      )}
      {accounts.map((one) => (
        <Account key={one.account.uuid} origin={origin} now={clock.now} view={one} />
      ))}
    </Page>
  )
}

function Account({ origin, now, view }: { origin: string; now: number; view: StartAccount }) {
  const { account, jobs, total, queues, companies } = view
  const own = `/sandbox/console/accounts/${account.uuid}`
  const openAs = `${origin}/fieldhook?accountUUID=${account.uuid}`
  const context = {
    accountUuid: account.uuid,
    currency: account.currency,
    localNow: account.localNow,
    queues,
    back: BACK,
  }
  return (
    <Card
      id={`account-${account.uuid}`}
      title={account.name}
      className="account"
      about={
        <>
          {placeOf(account.timezone)}, {account.currency}. It is {clockWords(now, account.timezone)} there.{' '}
          {account.connected ? (
            <Badge tone="working">Connected to Fieldhook</Badge>
          ) : (
            <Badge tone="neutral">Not connected yet</Badge>
          )}
        </>
      }
    >
      <div className="buttons">
        <a className="button primary" href={openAs}>
          Open Fieldhook as {account.name}
        </a>
        <a className="button" href={`${openAs}&admin=yes`}>
          With admin tools<span className="hidden">, for {account.name}</span>
        </a>
        <a className="button" href={`${own}/opening`}>
          From inside ServiceM8<span className="hidden">, for {account.name}</span>
        </a>
      </div>
      <ul className="jobs" aria-label={`Newest jobs of ${account.name}`}>
        {jobs.map((job) => (
          <JobItem key={job.uuid} job={job} context={context} />
        ))}
      </ul>
      <div className="buttons">
        <a className="button" href={own}>
          All {total} jobs<span className="hidden"> of {account.name}</span>
        </a>
        <a className="button" href={`${own}/outbox`}>
          Outbox<span className="hidden"> of {account.name}</span>
        </a>
        <a className="button" href={`${own}/webhooks`}>
          Webhooks<span className="hidden"> of {account.name}</span>
        </a>
        <a className="button" href={`${own}/switches`}>
          Switches<span className="hidden"> of {account.name}</span>
        </a>
      </div>
      <CreateJob account={account} companies={companies} back={BACK} />
    </Card>
  )
}

/** Also on the account's own page. */
export function CreateJob({
  account,
  companies,
  back,
}: {
  account: Pick<AccountView, 'uuid' | 'name'>
  companies: readonly (readonly [string, string])[]
  back: string
}) {
  const id = (name: string) => `${name}-${account.uuid}`
  return (
    <details className="create-job">
      <summary>
        New job<span className="hidden"> for {account.name}</span>
      </summary>
      <Form to={`accounts/${account.uuid}/jobs`} back={back}>
        <div className="pair">
          <Choice id={id('company')} name="company" label="Customer" options={[...companies, ['', 'Nobody yet']]} />
          <Choice
            id={id('new-status')}
            name="status"
            label="Begins as"
            options={[
              ['Quote', 'Quote'],
              ['Work Order', 'Work Order'],
            ]}
          />
        </div>
        <TextField id={id('what')} name="description" label="What is to be done" rows={2} maxLength={2000} required />
        <button type="submit">Create a job</button>
      </Form>
    </details>
  )
}
