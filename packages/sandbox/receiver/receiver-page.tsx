// Shows the requests of one receiver, how it answers and the secrets it knows.
import { type ClockView, Page, type Said } from '../console/layout.tsx'
import { AtPlaces, Badge, Card, Choice, Code, Copyable, Empty, Form, TextField } from '../console/parts.tsx'
import { countWords, type Tone } from '../console/words.ts'
import { PRESETS } from './behaviour.ts'
import { eventOf, prettyBody, type Received, type SignatureVerdict, signatureWords } from './received.ts'

interface ReceiverView {
  name: string
  address: string
  /** Newest first. */
  requests: readonly Received[]
  total: number
  /** How many requests are kept. */
  kept: number
  /** How many secrets are registered. */
  secrets: number
  /** A query as `behaviour.ts` defines it. */
  behaviour: string
  clock: ClockView
  said: Said | null
}

/** Results of the page's own buttons, by the key in its address. */
const DID: Readonly<Record<string, Said>> = {
  cleared: { tone: 'working', text: 'The list is empty again.' },
  behaviour: { tone: 'working', text: 'It answers like this from now on.' },
  'secret-added': { tone: 'working', text: 'Whatever arrives from now on is checked with this secret.' },
  'not-a-secret': {
    tone: 'failing',
    text: 'That is not a signing secret. It begins with whsec_ and is shown on the webhook’s card in Fieldhook.',
  },
  'secrets-forgotten': { tone: 'working', text: 'The secrets are forgotten.' },
}

export function saidOf(did: string | null): Said | null {
  return (did && Object.hasOwn(DID, did) ? DID[did] : null) ?? null
}

export function ReceiverPage({ name, address, requests, total, kept, secrets, behaviour, clock, said }: ReceiverView) {
  const back = `/sandbox/receiver/${name}`
  return (
    <Page title={`Receiver ${name}`} here="receivers" back={back} clock={clock} said={said}>
      <h1>Receiver “{name}”</h1>
      <p className="lead">
        Plays the system that a Fieldhook webhook forwards to. Paste this address as the callback address:
      </p>
      <p>
        <Copyable label="Callback address" text={address} />
      </p>

      <div className="columns">
        <Card id="answers" title="How it answers" about="Counts for every request whose address says nothing else.">
          <Form to={`receivers/${name}/behaviour`} back={back} className="row">
            <Choice
              id="behaviour"
              name="behaviour"
              label="Answer from now on"
              value={behaviour}
              options={PRESETS.map((preset) => [preset.query, preset.words])}
            />
            <button type="submit">Answer like this</button>
          </Form>
          <p className="hint">
            Or say it in the address: <code>?status=500</code> <code>?delay=3000</code> <code>?redirect=…</code>{' '}
            <code>?retryAfter=60</code> <code>?hang=1</code> <code>?drop=1</code> <code>?body=…</code>
          </p>
        </Card>
        <Card
          id="secrets"
          title="Signing secret"
          about={
            secrets === 0
              ? 'Give it the secret shown on the webhook’s card, and it checks the signature of what arrives from then on.'
              : `It knows ${countWords(secrets, 'secret', 'secrets')} and checks what arrives against ${secrets === 1 ? 'it' : 'them'}.`
          }
        >
          <Form to={`receivers/${name}/secret`} back={back} className="row">
            <TextField id="secret" name="secret" label="Secret, begins with whsec_" maxLength={200} required />
            <button type="submit">Check with this secret</button>
          </Form>
          {secrets > 0 ? (
            <Form to={`receivers/${name}/forget-secrets`} back={back}>
              <button type="submit" className="quiet">
                Forget the secrets
              </button>
            </Form>
          ) : null}
        </Card>
      </div>

      <Card
        id="requests"
        title={total === 0 ? 'Nothing has arrived yet' : `${countWords(total, 'request', 'requests')} arrived`}
        about={total > kept ? `The last ${kept} are shown.` : undefined}
      >
        {requests.length === 0 ? (
          <Empty>
            Requests show up here the moment they arrive. Create a webhook in Fieldhook with the address above, then
            change a job on the <a href="/sandbox">stage</a>.
          </Empty>
        ) : (
          <>
            <div className="buttons">
              <a className="button" href={back}>
                Look again
              </a>
              <Form to={`receivers/${name}/clear`} back={back}>
                <button type="submit" className="danger">
                  Clear the list
                </button>
              </Form>
            </div>
            <ul className="entries">
              {requests.map((request) => (
                <li key={request.id}>
                  <Request request={request} clock={clock} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Card>
    </Page>
  )
}

const TONES: Record<SignatureVerdict, Tone> = {
  no_secret: 'neutral',
  unsigned: 'attention',
  valid: 'working',
  invalid: 'failing',
  stale: 'attention',
}

function Request({ request, clock }: { request: Received; clock: ClockView }) {
  const { status, mischief, signature, body } = request
  const event = eventOf(body)
  return (
    <details className="entry">
      <summary>
        <span className="entry-title">
          <strong>{event ? event.subject : request.method}</strong>{' '}
          <span className="hint">{event?.changed?.join(', ')}</span>
          <br />
          <AtPlaces at={request.at} zones={clock.zones} now={clock.now} />
        </span>
        <span className="entry-facts">
          <Badge tone={status === null ? 'failing' : status < 300 ? 'working' : 'attention'}>
            {status === null ? 'No answer' : `Answered ${status}`}
          </Badge>
          <Badge tone={TONES[signature]}>{signatureWords(signature)}</Badge>
        </span>
      </summary>
      <div className="entry-body">
        {mischief !== '' ? <p>On purpose: {mischief}.</p> : null}
        <h3>Body, {countWords(request.bodyBytes, 'byte', 'bytes')}</h3>
        {request.truncated ? <p className="hint">Only the beginning is kept.</p> : null}
        <Code text={body === '' ? '(empty)' : prettyBody(body)} />
        <h3>Headers</h3>
        <dl className="facts">
          {request.headers.map(([name, value], index) => (
            <div key={index}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
          <div>
            <dt>called as</dt>
            <dd>
              {request.method} {request.target}
            </dd>
          </div>
        </dl>
      </div>
    </details>
  )
}
