// Office work that belongs to no job: customers, prices, the inbox, resetting.
import type { AccountView } from '../../world.ts'
import { AccountNav, type ClockView, Page, type Said } from '../layout.tsx'
import { Card, Choice, Form, TextField } from '../parts.tsx'
import { TrailCard } from '../trail.tsx'
import type { Trail } from '../trails.server.ts'

interface OfficeView {
  account: AccountView
  companies: readonly (readonly [string, string])[]
  materials: readonly (readonly [string, string])[]
  staff: readonly (readonly [string, string])[]
  trail: Trail | null
  clock: ClockView
  said: Said | null
}

export function OfficePage({ account, companies, materials, staff, trail, clock, said }: OfficeView) {
  const back = `/sandbox/console/accounts/${account.uuid}/office`
  const to = `accounts/${account.uuid}`
  return (
    <Page title={`Office of ${account.name}`} here="account" back={back} clock={clock} said={said}>
      <h1>{account.name}</h1>
      <AccountNav account={account} here="office" />
      {trail ? <TrailCard id="trail" trail={trail} zone={account.timezone} now={clock.now} back={back} /> : null}
      <div className="columns">
        <Card id="new-company" title="A new customer">
          <Form to={`${to}/company`} back={back}>
            <TextField id="company-name" name="name" label="Name" maxLength={100} required />
            <TextField id="company-address" name="address" label="Address" maxLength={500} />
            <button type="submit">Add the customer</button>
          </Form>
        </Card>
        <Card id="rename-company" title="A customer changes">
          <Form to={`${to}/company-change`} back={back}>
            <Choice id="which-company" name="company" label="Customer" options={companies} />
            <TextField id="new-name" name="name" label="New name" maxLength={100} required />
            <button type="submit">Rename the customer</button>
          </Form>
        </Card>
        <Card id="price" title="A price changes">
          <Form to={`${to}/price`} back={back}>
            <Choice id="which-material" name="material" label="Material" options={materials} />
            <TextField
              id="new-price"
              name="price"
              label={`New price (${account.currency})`}
              type="number"
              step="0.01"
              min={0}
              max={1_000_000}
              required
            />
            <button type="submit">Change the price</button>
          </Form>
        </Card>
        <Card id="working-day" title="The working day" about="Tells who has subscribed to clocking on and off.">
          <Form to={`${to}/working-day`} back={back}>
            <Choice id="which-staff" name="staff" label="Staff member" options={staff} />
            <Choice
              id="way"
              name="way"
              label="What"
              options={[
                ['on', 'Clocks on'],
                ['off', 'Clocks off'],
              ]}
            />
            <button type="submit">Clock the staff member</button>
          </Form>
        </Card>
        <Card id="inbox" title="A message arrives" about="From outside, into the inbox of this account.">
          <Form to={`${to}/inbox`} back={back}>
            <TextField id="from" name="from" label="From" value="Alex Rowe" maxLength={100} required />
            <TextField
              id="email"
              name="email"
              label="E-mail"
              type="email"
              value="alex.rowe@example.com"
              maxLength={200}
              required
            />
            <TextField
              id="subject"
              name="subject"
              label="Subject"
              value="Can you come round?"
              maxLength={200}
              required
            />
            <TextField
              id="text"
              name="text"
              label="Text"
              rows={3}
              value="The kitchen light flickers since Monday."
              maxLength={2000}
              required
            />
            <button type="submit">Let it arrive</button>
          </Form>
        </Card>
        <Card
          id="start-over"
          title="Start over"
          about="Jobs, customers, outbox and posts become what they were on the first day. The add-on stays connected."
        >
          <Form to={`${to}/reset`} back={back}>
            <div className="tick">
              <input type="checkbox" id="sure" name="sure" value="1" required />
              <div>
                <label htmlFor="sure">Yes, throw away what was changed in this account</label>
              </div>
            </div>
            <button type="submit" className="danger">
              Start over
            </button>
          </Form>
        </Card>
      </div>
    </Page>
  )
}
