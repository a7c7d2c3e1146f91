import { ShieldCheck } from 'lucide-react'
import { grouped } from '#app/domain/count-text.ts'
import type { KeptKind } from '#app/domain/kept-until.ts'
import { sizeText } from '#app/domain/size-text.ts'
import { ButtonLink } from '#app/ui/button.tsx'
import { ClosedSection } from '#app/ui/card.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { Time } from '#app/ui/time/time.tsx'
import type { AuditView, MachineView } from '../operator-view.ts'
import { Fact, Facts } from './facts.tsx'
import { Part } from './part.tsx'

/** Counts of the last day's refusals and of acts that interest an operator. `all` = the page that lists them. */
export function RefusedCard({ audit, all }: { audit: AuditView; all: string }) {
  return (
    <Part id="refused" title="Refused and changed, last 24 hours">
      {audit.lines.length === 0 ? (
        <EmptyState icon={ShieldCheck} title="Nothing was refused">
          <p>You will see refused requests, new keys and removed data here.</p>
        </EmptyState>
      ) : (
        <ul aria-labelledby="refused-title" className="grid">
          {audit.lines.map(({ words, refused, count, latestAt }) => (
            <li
              key={`${words} ${refused}`}
              className="flex flex-wrap items-baseline justify-between gap-x-4 border-line border-t py-2 text-label first:border-t-0"
            >
              <span className="min-w-0">{words}</span>
              <span className="text-dense text-ink-soft tabular-nums">
                {audit.atLeast ? 'at least ' : null}
                {count === 1 ? 'once' : `${grouped(count)} times`}, last <Time at={latestAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <ButtonLink to={all} variant="quiet" className="-ml-4 mt-2 print:hidden">
        Who did what, all accounts
      </ButtonLink>
    </Part>
  )
}

const PAYMENTS: Record<MachineView['payments'], string> = {
  stripe: 'Stripe',
  sandbox: 'Sandbox, no charges',
  off: 'Off, no limits',
}

export function MachineCard({ machine }: { machine: MachineView }) {
  return (
    <Part id="machine" title="This installation">
      <Facts>
        <Fact name="Fieldhook">{machine.version}</Fact>
        <Fact name="Started">
          <Time at={machine.startedAt} />
        </Fact>
        <Fact name="Platform">{machine.platform === 'sandbox' ? 'Sandbox: a pretend ServiceM8' : 'ServiceM8'}</Fact>
        <Fact name="Card payments">{PAYMENTS[machine.payments]}</Fact>
        <Fact name="Mail server for notices">{machine.mailServer ? 'Set' : 'None: ServiceM8 sends them'}</Fact>
        <Fact name="Notices told to nobody by e-mail, last 24 hours">{grouped(machine.untoldNotices)}</Fact>
        <Fact name="Schema">{machine.schema} migrations</Fact>
        <Fact name="Runs on">
          Node {machine.node.replace(/^v/, '')}, {machine.database}
        </Fact>
        <Fact name="Memory in use">{sizeText(machine.memoryBytes)}</Fact>
      </Facts>
    </Part>
  )
}

/** Uses the same numbers as the jobs. */
export function KeptCard({ kept }: { kept: KeptKind[] }) {
  return (
    <div className="lg:col-span-2">
      <ClosedSection id="kept" title="Data retention">
        <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-2 lg:grid-cols-3">
          {kept.map(({ id, what, long }) => (
            <div key={id} className="grid min-w-0 content-start gap-0.5">
              <dt className="text-label font-medium">{what}</dt>
              <dd className="text-label text-ink-soft">{long}</dd>
            </div>
          ))}
        </dl>
      </ClosedSection>
    </div>
  )
}
