// n8n in the comparison: a workflow of a webhook and an HTTP request, in two modes. n8n connects hundreds of services
// and lets people build what they like; only this one job is measured.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '#tests/support/free-port.ts'
import { emptyFolder, launchNode, type Peer, type Place, runAgainAndAgain, untilItAnswers } from './peer.ts'

const WORKFLOW = 'forwardEvents001'
/** The node's maximum: five attempts, five seconds apart. */
const MOST_TRIES = 5
const MOST_WAIT_MS = 5_000

/**
 * `free`: executes immediately, with all executions saved. `queued`: limits the executions in parallel; the others wait
 * as rows in its database, and are answered when their turn comes.
 */
export type Running = { kind: 'free' } | { kind: 'queued'; atOnce: number }

export function n8nPeer(input: { folder: string; version: string; running: Running }): Peer {
  const { running } = input
  const program = join(input.folder, 'node_modules/n8n/bin/n8n')
  return {
    name: running.kind === 'free' ? 'n8n' : 'n8n, executions queued',
    version: input.version,
    // Executions waiting in the database have not started their attempts.
    triesForSeconds: running.kind === 'free' ? ((MOST_TRIES - 1) * MOST_WAIT_MS) / 1_000 : null,
    settings: [
      'One workflow: Webhook (POST, "Respond: Immediately") → HTTP Request (POST, the body as JSON).',
      `HTTP Request: "Retry On Fail" with the most that can be set: ${MOST_TRIES} tries, ${MOST_WAIT_MS / 1_000} s apart. An execution that failed for good stays in its list, where a person can retry it.`,
      'Main process with SQLite (its default), every execution saved, successful ones too.',
      running.kind === 'free'
        ? 'No limit of executions at once (its default).'
        : `N8N_CONCURRENCY_PRODUCTION_LIMIT=${running.atOnce}: what does not run yet waits as a row in the database, and its sender waits for the answer.`,
      'Diagnostics, version notices, templates, community packages and banners off; log level warn; listens on loopback.',
      'Queue mode with Redis and PostgreSQL, which n8n recommends for large installations, is not measured: the comparison is of one machine with nothing beside it.',
    ],
    async start(place) {
      emptyFolder(place.folder)
      const [port, brokerPort, launcherPort] = [await freePort(), await freePort(), await freePort()]
      const env = environmentOf({ folder: place.folder, port, brokerPort, launcherPort, running })
      const file = join(place.folder, 'workflow.json')
      writeFileSync(file, JSON.stringify([workflowOf(place)], null, 2))
      for (const args of [
        ['import:workflow', `--input=${file}`],
        ['publish:workflow', `--id=${WORKFLOW}`],
      ]) {
        await command(program, args, env, place.folder)
      }
      return runAgainAndAgain({
        launch: () => launchNode([program, 'start'], env, place.folder),
        // It reports healthy before its webhooks are registered: then it answers 404.
        ready: async (launched) => {
          await untilItAnswers(
            launched,
            `http://127.0.0.1:${port}/healthz/readiness`,
            (status) => status === 200,
            300_000,
          )
          await untilItAnswers(launched, `http://127.0.0.1:${port}/webhook/ready`, (status) => status === 200, 60_000)
        },
        target: { port, path: '/webhook/in?account=', tokens: place.receivers.urls.map((_, index) => String(index)) },
        patienceMs: 40_000,
      })
    },
  }
}

async function command(program: string, args: string[], env: Record<string, string>, folder: string): Promise<void> {
  const launched = launchNode([program, ...args], env, folder)
  await launched.ended
  if (launched.child.exitCode !== 0) throw new Error(`n8n ${args[0]} failed: ${launched.output().trim().slice(-500)}`)
}

/** Exported for its test: it must not make outside calls. */
export function environmentOf(input: {
  folder: string
  port: number
  brokerPort: number
  launcherPort: number
  running: Running
}): Record<string, string> {
  return {
    N8N_USER_FOLDER: input.folder,
    N8N_PORT: String(input.port),
    N8N_HOST: '127.0.0.1',
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_PROTOCOL: 'http',
    N8N_RUNNERS_BROKER_PORT: String(input.brokerPort),
    N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
    N8N_RUNNERS_LAUNCHER_HEALTH_CHECK_PORT: String(input.launcherPort),
    N8N_LOG_LEVEL: 'warn',
    N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
    DB_TYPE: 'sqlite',
    EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'all',
    EXECUTIONS_DATA_SAVE_ON_ERROR: 'all',
    ...(input.running.kind === 'queued' && { N8N_CONCURRENCY_PRODUCTION_LIMIT: String(input.running.atOnce) }),
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_DIAGNOSTICS_CONFIG_FRONTEND: '',
    N8N_DIAGNOSTICS_CONFIG_BACKEND: '',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_PERSONALIZATION_ENABLED: 'false',
    N8N_HIRING_BANNER_ENABLED: 'false',
    N8N_COMMUNITY_PACKAGES_ENABLED: 'false',
    N8N_AI_ENABLED: 'false',
    N8N_SENTRY_DSN: '',
    EXTERNAL_FRONTEND_HOOKS_URLS: '',
    N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
  }
}

/** As its editor saves it. Exported for its test. */
export function workflowOf({ receivers }: Pick<Place, 'receivers'>): Record<string, unknown> {
  const webhook = (name: string, parameters: Record<string, unknown>, webhookId: string, y: number) => ({
    id: webhookId,
    name,
    type: 'n8n-nodes-base.webhook',
    typeVersion: 2,
    position: [0, y],
    webhookId,
    parameters: { responseMode: 'onReceived', options: {}, ...parameters },
  })
  return {
    id: WORKFLOW,
    name: 'Forward events',
    active: false,
    settings: { executionOrder: 'v1', saveDataSuccessExecution: 'all', saveDataErrorExecution: 'all' },
    nodes: [
      webhook('Event', { httpMethod: 'POST', path: 'in' }, '11111111-0000-4000-8000-000000000001', 0),
      webhook('Ready', { httpMethod: 'GET', path: 'ready' }, '11111111-0000-4000-8000-000000000002', 300),
      {
        id: '11111111-0000-4000-8000-000000000003',
        name: 'Forward',
        type: 'n8n-nodes-base.httpRequest',
        typeVersion: 4.2,
        position: [300, 0],
        retryOnFail: true,
        maxTries: MOST_TRIES,
        waitBetweenTries: MOST_WAIT_MS,
        parameters: {
          method: 'POST',
          url: `={{ ${JSON.stringify(receivers.urls)}[Number($json.query.account)] }}`,
          sendBody: true,
          specifyBody: 'json',
          jsonBody: '={{ JSON.stringify($json.body) }}',
          options: { timeout: 10_000 },
        },
      },
    ],
    connections: { Event: { main: [[{ node: 'Forward', type: 'main', index: 0 }]] } },
  }
}
