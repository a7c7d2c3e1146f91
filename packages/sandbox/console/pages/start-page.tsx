// `/sandbox`: an introduction, the accounts and how they open the add-on, and sample jobs.
import type { AccountView } from '../../world.ts'
import { CreateJob } from '../create-job.tsx'
import { JobItem } from '../job-item.tsx'
import type { JobView } from '../job-view.ts'
import { type ClockView, Page, type Said } from '../layout.tsx'
import { Badge, Card, Copyable } from '../parts.tsx'
import { TrailCard } from '../trail.tsx'
import type { Trail } from '../trails.server.ts'
import { placeOf } from '../words.ts'

interface StartAccount {
  account: AccountView
  jobs: JobView[]
  /** Total number of jobs. */
  total: number
  queues: readonly (readonly [string, string])[]
  companies: readonly (readonly [string, string])[]
}

interface StartView {
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
        <TrailCard id="trail" trail={trail} zone={trailZone} now={clock.now} back={BACK} />
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
        <Account key={one.account.uuid} origin={origin} view={one} />
      ))}
    </Page>
  )
}

function Account({ origin, view }: { origin: string; view: StartAccount }) {
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
      about={
        <>
          {placeOf(account.timezone)}, {account.currency}.{' '}
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
      <CreateJob account={account} companies={companies} back={BACK} />
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
    </Card>
  )
}
