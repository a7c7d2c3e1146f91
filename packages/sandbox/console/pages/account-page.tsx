// All jobs of one account: search, filter, paging.
import { type AccountView, JOB_STATUSES } from '../../world.ts'
import { CreateJob } from '../create-job.tsx'
import { JobItem } from '../job-item.tsx'
import { JOBS_A_PAGE, type JobQuery, type JobView } from '../job-view.ts'
import { AccountNav, type ClockView, Page, type Said } from '../layout.tsx'
import { Card, Choice, Empty, TextField } from '../parts.tsx'
import { TrailCard } from '../trail.tsx'
import type { Trail } from '../trails.server.ts'
import { countWords } from '../words.ts'

interface AccountPageView {
  account: AccountView
  query: JobQuery
  jobs: JobView[]
  total: number
  queues: readonly (readonly [string, string])[]
  companies: readonly (readonly [string, string])[]
  trail: Trail | null
  clock: ClockView
  said: Said | null
}

export function AccountPage({ account, query, jobs, total, queues, companies, trail, clock, said }: AccountPageView) {
  const back = jobsAddress(account.uuid, query)
  const context = { accountUuid: account.uuid, currency: account.currency, localNow: account.localNow, queues, back }
  const pages = Math.max(1, Math.ceil(total / JOBS_A_PAGE))
  return (
    <Page title={`Jobs of ${account.name}`} here="account" back={back} clock={clock} said={said}>
      <h1>{account.name}</h1>
      <AccountNav account={account} here="jobs" />
      {trail ? <TrailCard id="trail" trail={trail} zone={account.timezone} now={clock.now} back={back} /> : null}
      <Card id="jobs" title="Jobs" about={`${countWords(total, 'job', 'jobs')}, newest first, deleted ones too.`}>
        <form method="get" action={`/sandbox/console/accounts/${account.uuid}`} className="row" aria-label="Find jobs">
          <TextField
            id="search"
            name="search"
            label="Number, customer, address or words"
            type="search"
            value={query.search}
            maxLength={100}
          />
          <Choice
            id="status-filter"
            name="status"
            label="Status"
            value={query.status}
            options={[['', 'Every status'], ...JOB_STATUSES.map((one) => [one, one] as const)]}
          />
          <button type="submit">Find</button>
        </form>
        {jobs.length === 0 ? (
          <Empty>
            No job fits. <a href={`/sandbox/console/accounts/${account.uuid}`}>Show all jobs</a>
          </Empty>
        ) : (
          <ul className="jobs">
            {jobs.map((job) => (
              <JobItem key={job.uuid} job={job} context={context} />
            ))}
          </ul>
        )}
        {pages > 1 ? (
          <nav aria-label="Pages" className="pages">
            {query.page > 1 ? (
              <a className="button" href={jobsAddress(account.uuid, { ...query, page: query.page - 1 })}>
                Newer
              </a>
            ) : null}
            <span>
              Page {query.page} of {pages}
            </span>
            {query.page < pages ? (
              <a className="button" href={jobsAddress(account.uuid, { ...query, page: query.page + 1 })}>
                Older
              </a>
            ) : null}
          </nav>
        ) : null}
        <CreateJob account={account} companies={companies} back={back} />
      </Card>
    </Page>
  )
}

function jobsAddress(accountUuid: string, { search, status, page }: JobQuery): string {
  const query = new URLSearchParams()
  if (search !== '') query.set('search', search)
  if (status !== '') query.set('status', status)
  if (page > 1) query.set('page', String(page))
  const text = query.toString()
  return `/sandbox/console/accounts/${accountUuid}${text === '' ? '' : `?${text}`}`
}
