// How the pretend platform behaves towards one account: ordinary options, and faults for the next calls.
import type { AccountOptions, AccountView, FaultRule } from '../../world.ts'
import { AccountNav, type ClockView, Page, type Said } from '../layout.tsx'
import { FAULT_EFFECTS, FAULT_PLACES } from '../options-form.ts'
import { Badge, Card, Choice, Empty, Form, Table, TextField, Tick } from '../parts.tsx'
import { countWords, faultWords } from '../words.ts'

interface SwitchesView {
  account: AccountView
  options: AccountOptions
  /** Faults of this account, and of every account. */
  faults: FaultRule[]
  clock: ClockView
  said: Said | null
}

export function SwitchesPage({ account, options, faults, clock, said }: SwitchesView) {
  const back = `/sandbox/console/accounts/${account.uuid}/switches`
  const to = `accounts/${account.uuid}`
  return (
    <Page title={`Switches of ${account.name}`} here="account" back={back} clock={clock} said={said}>
      <h1>{account.name}</h1>
      <AccountNav account={account} here="switches" />
      <Card
        id="faults"
        title="Spoil the next calls"
        about="The next calls that Fieldhook makes to this account go wrong, then everything works again."
      >
        <Form to={`${to}/fault`} back={back}>
          <div className="forms">
            <Choice id="effect" name="effect" label="What goes wrong" options={FAULT_EFFECTS} />
            <Choice id="path" name="path" label="Which calls" options={FAULT_PLACES} />
            <Choice
              id="method"
              name="method"
              label="Kind of call"
              options={['*', 'GET', 'POST', 'DELETE'].map((one) => [one, one === '*' ? 'Any' : one])}
            />
            <TextField
              id="times"
              name="times"
              label="How many"
              type="number"
              min={1}
              max={1000}
              step="1"
              value={1}
              required
            />
          </div>
          <div className="tick">
            <input type="checkbox" id="anybody" name="anybody" value="1" aria-describedby="anybody-hint" />
            <div>
              <label htmlFor="anybody">Any account, and calls that name none</label>
              <p className="hint" id="anybody-hint">
                Needed for the first sign-in, when the platform does not know yet who is calling.
              </p>
            </div>
          </div>
          <button type="submit">Spoil the next calls</button>
        </Form>
        {faults.length === 0 ? (
          <Empty>Nothing is spoiled: every call works.</Empty>
        ) : (
          <>
            <Table
              caption="Faults that are waiting for calls"
              heads={['What', 'Which calls', 'Whose', 'Still']}
              rows={faults.map((fault) => ({
                key: fault.id,
                cells: [
                  faultWords(fault.effect),
                  `${fault.method === '*' ? '' : `${fault.method} `}${FAULT_PLACES.find(([path]) => path === fault.path)?.[1] ?? fault.path}`,
                  fault.accountUuid === null ? 'Any account' : 'This account',
                  <Badge key="left" tone="attention">
                    {countWords(fault.left, 'call', 'calls')}
                  </Badge>,
                ],
              }))}
            />
            <Form to={`${to}/clear-faults`} back={back}>
              <button type="submit">Let every call work again</button>
            </Form>
          </>
        )}
      </Card>
      <Form to={`${to}/options`} back={back} label="Options">
        <Card id="posting" title="How it posts webhooks">
          <div className="forms">
            <Choice
              id="objectSpelling"
              name="objectSpelling"
              label="The object’s name is written"
              value={options.objectSpelling}
              options={[
                ['lower', 'job, jobactivity'],
                ['upper', 'JOB, JOBACTIVITY'],
                ['title', 'Job, JobActivity'],
              ]}
            />
            <Choice
              id="deliveryWrapping"
              name="deliveryWrapping"
              label="The body is"
              value={options.deliveryWrapping}
              options={[
                ['json', 'JSON'],
                ['form_key', 'a form whose key is the JSON'],
                ['form_value', 'a form whose value is the JSON'],
              ]}
            />
            <TextField
              id="deliveryDelaySeconds"
              name="deliveryDelaySeconds"
              label="Seconds before the first attempt"
              type="number"
              min={0}
              max={86_400}
              step="1"
              value={options.deliveryDelayMs / 1000}
            />
            <TextField
              id="dropNextDeliveries"
              name="dropNextDeliveries"
              label="Lose so many of the next posts"
              type="number"
              min={0}
              max={1000}
              step="1"
              value={options.dropNextDeliveries}
            />
            <TextField
              id="undocumentedWebhooks"
              name="undocumentedWebhooks"
              label="More objects to subscribe to"
              hint="Names of objects, with spaces between them."
              maxLength={2000}
              value={options.undocumentedWebhooks.join(' ')}
            />
          </div>
          <Tick
            id="oneSubscriptionPerObject"
            name="oneSubscriptionPerObject"
            label="Keep one subscription per object"
            hint="A new one replaces every other, also one with another address."
            checked={options.oneSubscriptionPerObject}
          />
          <Tick
            id="duplicateDeliveries"
            name="duplicateDeliveries"
            label="Post everything twice"
            checked={options.duplicateDeliveries}
          />
          <Tick
            id="reorderDeliveries"
            name="reorderDeliveries"
            label="Mix up the order"
            hint="Every second post overtakes the one before."
            checked={options.reorderDeliveries}
          />
          <TextField
            id="manifestWebhooks"
            name="manifestWebhooks"
            label="Signed webhooks of the add-on’s manifest"
            hint="One a line: the object, a colon, the fields. For example job: status, queue_uuid"
            rows={3}
            maxLength={4000}
            value={options.manifestWebhooks.map((one) => `${one.object}: ${one.fields.join(', ')}`).join('\n')}
          />
        </Card>
        <Card id="answering" title="How it answers calls">
          <div className="forms">
            <TextField
              id="pageSize"
              name="pageSize"
              label="Records a page"
              type="number"
              min={1}
              max={5000}
              step="1"
              value={options.pageSize}
            />
            <TextField
              id="perMinute"
              name="perMinute"
              label="Calls a minute"
              type="number"
              min={0}
              max={100_000}
              step="1"
              value={options.perMinute}
            />
            <TextField
              id="perDay"
              name="perDay"
              label="Calls a day"
              type="number"
              min={0}
              max={1_000_000}
              step="1"
              value={options.perDay}
            />
            <TextField
              id="withheldScopes"
              name="withheldScopes"
              label="Rights that are never granted"
              hint="Names of scopes, with spaces between them."
              maxLength={2000}
              value={options.withheldScopes.join(' ')}
            />
          </div>
          <Tick
            id="unpaid"
            name="unpaid"
            label="The account has not paid"
            hint="Every call is answered 402."
            checked={options.unpaid}
          />
          <Tick
            id="insistOnHttps"
            name="insistOnHttps"
            label="Insist on https"
            hint="Every call is answered 426."
            checked={options.insistOnHttps}
          />
          <Tick
            id="quotedFlags"
            name="quotedFlags"
            label="Write flags and error codes the other way"
            hint="In some records: 1 as “1” and “1” as 1, as people have seen the real service do."
            checked={options.quotedFlags}
          />
        </Card>
        <Card id="messaging" title="Messages and documents">
          <div className="forms">
            <TextField
              id="messagesPerMinute"
              name="messagesPerMinute"
              label="Messages a minute"
              type="number"
              min={0}
              max={100_000}
              step="1"
              value={options.messagesPerMinute}
            />
            <TextField
              id="messagesPerDay"
              name="messagesPerDay"
              label="Messages in 24 hours"
              type="number"
              min={0}
              max={1_000_000}
              step="1"
              value={options.messagesPerDay}
            />
          </div>
          <Tick
            id="messagingSilent"
            name="messagingSilent"
            label="Answer 200 to messages and send nothing"
            hint="The one sign is a missing message number."
            checked={options.messagingSilent}
          />
          <Tick
            id="documentsFail"
            name="documentsFail"
            label="Documents cannot be made"
            checked={options.documentsFail}
          />
        </Card>
        <HistoryCard options={options} />
        <p>
          <button type="submit" className="primary">
            Save the switches
          </button>
        </p>
      </Form>
    </Page>
  )
}

/** What the platform tells the add-on about messages it accepted. */
function HistoryCard({ options }: { options: AccountOptions }) {
  return (
    <Card id="history" title="History of messages" about="How what was sent and answered shows in ServiceM8.">
      <div className="forms">
        <TextField
          id="undeliveredNext"
          name="undeliveredNext"
          label="Accept and never deliver the next"
          hint="How many messages. The history does not show them."
          type="number"
          min={0}
          max={1000}
          step="1"
          value={options.undeliveredNext}
        />
        <TextField
          id="historyLateMinutes"
          name="historyLateMinutes"
          label="Minutes until a message shows"
          type="number"
          min={0}
          max={10_000}
          step="1"
          value={options.historyLateMinutes}
        />
        <TextField
          id="historyClockSkewMinutes"
          name="historyClockSkewMinutes"
          label="Minutes that its clock is ahead"
          hint="Below zero: its clock is behind."
          type="number"
          min={-60}
          max={60}
          step="1"
          value={options.historyClockSkewMinutes}
        />
      </div>
      <Tick
        id="historyRefused"
        name="historyRefused"
        label="Take back the right to read it"
        hint="Reading it is answered 403 and names the missing scope."
        checked={options.historyRefused}
      />
      <Tick
        id="historyMissing"
        name="historyMissing"
        label="Never show anything"
        hint="What is sent and answered from now on stays out of it."
        checked={options.historyMissing}
      />
      <Tick id="historyDoubled" name="historyDoubled" label="Show everything twice" checked={options.historyDoubled} />
    </Card>
  )
}
