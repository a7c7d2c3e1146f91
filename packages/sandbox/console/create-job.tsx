// The form for a new job, on the stage and on the account's own page.
import type { AccountView } from '../world.ts'
import { Choice, Form, TextField } from './parts.tsx'

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
    <details className="job-more">
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
