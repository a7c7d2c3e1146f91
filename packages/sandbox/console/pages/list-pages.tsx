// The trail of all actions on the stage, the list of receivers, and the page for unknown addresses.
import type { AccountView } from '../../world.ts'
import { type ClockView, Page, type Said } from '../layout.tsx'
import { AtPlaces, Card, Copyable, Empty, Table } from '../parts.tsx'
import { TrailCard } from '../trail.tsx'
import type { Trail } from '../trails.server.ts'
import { countWords } from '../words.ts'

interface TrailsView {
  /** Newest first. */
  trails: Trail[]
  accounts: AccountView[]
  clock: ClockView
  said: Said | null
}

export function TrailsPage({ trails, accounts, clock, said }: TrailsView) {
  const back = '/sandbox/console/trail'
  return (
    <Page title="Trail" here="trail" back={back} clock={clock} said={said}>
      <h1>Trail</h1>
      <p className="lead">
        Everything that was done on the stage since it started, and where each event went. Newest first.
      </p>
      {trails.length === 0 ? (
        <Empty>
          Nothing was done yet. Change a job on the <a href="/sandbox">stage</a>.
        </Empty>
      ) : null}
      {trails.map((trail) => {
        const account = accounts.find((one) => one.uuid === trail.accountUuid)
        return (
          <TrailCard
            key={trail.id}
            id={`trail-${trail.id}`}
            accountName={account?.name ?? 'Unknown account'}
            trail={trail}
            zone={account?.timezone ?? 'UTC'}
            now={clock.now}
            back={back}
          />
        )
      })}
    </Page>
  )
}

interface ReceiversView {
  origin: string
  receivers: { name: string; total: number; lastAt: number | null }[]
  clock: ClockView
  said: Said | null
}

export function ReceiversPage({ origin, receivers, clock, said }: ReceiversView) {
  return (
    <Page title="Receivers" here="receivers" back="/sandbox/console/receivers" clock={clock} said={said}>
      <h1>Receivers</h1>
      <p className="lead">
        A receiver plays the system that Fieldhook forwards to. Any name makes one. Use this as the callback address of
        a webhook:
      </p>
      <p>
        <Copyable label="Callback address" text={`${origin}/sandbox/receiver/demo`} />
      </p>
      <Card id="receivers" title="Receivers in use">
        {receivers.length === 0 ? (
          <Empty>
            Nothing has arrived anywhere yet. <a href="/sandbox/receiver/demo">Look at the receiver “demo”</a>
          </Empty>
        ) : (
          <Table
            caption="Receivers in use"
            heads={['Name', 'Arrived', 'Last']}
            rows={receivers.map((one) => ({
              key: one.name,
              cells: [
                <a key="name" href={`/sandbox/receiver/${one.name}`}>
                  {one.name}
                </a>,
                countWords(one.total, 'request', 'requests'),
                one.lastAt === null ? '–' : <AtPlaces key="last" at={one.lastAt} zones={clock.zones} now={clock.now} />,
              ],
            }))}
          />
        )}
      </Card>
    </Page>
  )
}

export function LostPage({ title, words, clock }: { title: string; words: string; clock: ClockView }) {
  return (
    <Page title={title} here="elsewhere" back="/sandbox" clock={clock}>
      <h1>{title}</h1>
      <p className="lead">{words}</p>
      <p>
        <a className="button" href="/sandbox">
          Back to the stage
        </a>
      </p>
    </Page>
  )
}
