// The add-on's state in an account: its connection and its subscriptions.
import type { Millis } from '#app/lib/clock.ts'
import type { AccountView, ConnectionView, SubscriptionView } from '../../world.ts'
import { AccountNav, type ClockView, Page, type Said } from '../layout.tsx'
import { At, Badge, Card, Empty, Form, Table } from '../parts.tsx'
import { countWords, shortAddress, subscriptionWords } from '../words.ts'

interface WebhooksView {
  account: AccountView
  connections: ConnectionView[]
  /** Newest first. */
  subscriptions: SubscriptionView[]
  /** When each key was created, newest first. */
  apiKeys: Millis[]
  clock: ClockView
  said: Said | null
}

export function WebhooksPage({ account, connections, subscriptions, apiKeys, clock, said }: WebhooksView) {
  const back = `/sandbox/console/accounts/${account.uuid}/webhooks`
  const to = `accounts/${account.uuid}`
  const active = subscriptions.filter((one) => one.active).length
  return (
    <Page title={`Webhooks of ${account.name}`} here="account" back={back} clock={clock} said={said}>
      <h1>{account.name}</h1>
      <AccountNav account={account} here="webhooks" />
      <Card
        id="connection"
        title="Connection"
        about={account.connected ? 'Fieldhook may act for this account.' : 'Fieldhook may not act for this account.'}
      >
        {connections.length === 0 ? (
          <Empty>
            Nobody has agreed yet. <a href="/sandbox">Open Fieldhook from the stage</a> and connect.
          </Empty>
        ) : (
          <>
            <Table
              caption="Sign-ins of the add-on"
              heads={['State', 'Agreed', 'Access until', 'Renewed', 'Rights']}
              rows={connections.map((one) => ({
                key: one.id,
                cells: [
                  <Badge key="state" tone={one.revoked ? 'neutral' : 'working'}>
                    {one.revoked ? 'Taken back' : 'In use'}
                  </Badge>,
                  <At key="granted" at={one.grantedAt} zone={account.timezone} now={clock.now} begin />,
                  one.accessExpiresAt > clock.now && !one.revoked ? (
                    <At key="until" at={one.accessExpiresAt} zone={account.timezone} now={clock.now} begin />
                  ) : (
                    'ended'
                  ),
                  countWords(one.refreshes, 'time', 'times'),
                  <details key="scopes">
                    <summary>
                      {one.scope.split(' ').length}
                      <span className="hidden"> rights</span>
                    </summary>
                    <p className="scopes">{one.scope}</p>
                  </details>,
                ],
              }))}
            />
            <div className="buttons">
              <Form to={`${to}/expire`} back={back}>
                <button type="submit">End the access token now</button>
              </Form>
              <Form to={`${to}/revoke`} back={back}>
                <button type="submit" className="danger">
                  Revoke the add-on’s access
                </button>
              </Form>
            </div>
            <p className="hint">
              Ending the token makes Fieldhook renew it at its next call. Revoking is what the owner does who removes
              the add-on: every token dies and every subscription ends.
            </p>
          </>
        )}
      </Card>
      <Card
        id="subscriptions"
        title="Webhook subscriptions"
        about={`${countWords(active, 'is', 'are')} active of ${subscriptions.length}, newest first.`}
      >
        {subscriptions.length === 0 ? (
          <Empty>None yet. When somebody creates a webhook in Fieldhook, its subscription shows up here.</Empty>
        ) : (
          <Table
            caption="Webhook subscriptions"
            heads={['About', 'State', 'Posts to', 'Watches', 'Last failure', 'Do']}
            rows={subscriptions.map((one) => {
              const state = subscriptionWords(one)
              return {
                key: one.uuid,
                cells: [
                  <span key="about">
                    <strong>{one.subject}</strong>
                    {one.byKey ? ', with an API key' : ''}
                  </span>,
                  <Badge key="state" tone={state.tone}>
                    {state.words}
                  </Badge>,
                  <code key="address">{shortAddress(one.callbackUrl)}</code>,
                  one.kind === 'event' ? (
                    'The event itself'
                  ) : (
                    <details key="fields">
                      <summary>{countWords(one.fields.length, 'field', 'fields')}</summary>
                      <p className="scopes">{one.fields.join(', ')}</p>
                    </details>
                  ),
                  one.lastFailureReason === null ? (
                    '–'
                  ) : (
                    <span key="failure">
                      {one.lastFailureReason}
                      {one.lastFailureAt === null ? null : (
                        <>
                          , <At at={one.lastFailureAt} zone={account.timezone} now={clock.now} />
                        </>
                      )}
                    </span>
                  ),
                  one.active ? (
                    <Form key="do" to={`${to}/subscriptions/${one.uuid}/deactivate`} back={back}>
                      <button type="submit">
                        Switch off<span className="hidden"> the subscription to {one.subject}</span>
                      </button>
                    </Form>
                  ) : (
                    '–'
                  ),
                ],
              }
            })}
          />
        )}
        <p className="hint">
          “Switch off” does what the platform does after twelve hours of failures: the subscription goes quiet and keeps
          the reason.
        </p>
      </Card>
      <ApiKeys to={to} back={back} zone={account.timezone} made={apiKeys} now={clock.now} />
    </Page>
  )
}

/** Keys with which n8n and other private apps sign in. */
function ApiKeys({
  to,
  back,
  zone,
  made,
  now,
}: {
  to: string
  back: string
  zone: string
  made: Millis[]
  now: Millis
}) {
  return (
    <Card
      id="keys"
      title="API keys"
      about="A private app, such as n8n, sends a key as X-API-Key and may do everything in this account."
    >
      {made.length === 0 ? (
        <Empty>None yet.</Empty>
      ) : (
        <ul>
          {made.map((at, index) => (
            <li key={index}>
              Made <At at={at} zone={zone} now={now} />
            </li>
          ))}
        </ul>
      )}
      <div className="buttons">
        <Form to={`${to}/key`} back={back}>
          <button type="submit">Make an API key</button>
        </Form>
        {made.length === 0 ? null : (
          <Form to={`${to}/remove-keys`} back={back}>
            <button type="submit" className="danger">
              Take back every key
            </button>
          </Form>
        )}
      </div>
    </Card>
  )
}
