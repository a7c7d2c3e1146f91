// Node-RED in the comparison: a flow of its core nodes, in two modes. Node-RED wires devices, interfaces and services
// together and does much more than this one job; only the job is measured.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '#tests/support/free-port.ts'
import { emptyFolder, launchNode, type Peer, type Place, runAgainAndAgain, untilItAnswers } from './peer.ts'

const RETRY_SECONDS = 5

/**
 * `memory`: the flow as most people build it. An event is answered and forwarded; a failure loops through a delay until
 * it is accepted. `file`: an event is first written into a context store on disk, then answered, and removed when it
 * was forwarded; at a start the remaining events are sent again.
 */
export type Keeping = 'memory' | 'file'

export function nodeRedPeer(input: { folder: string; version: string; keeping: Keeping }): Peer {
  const { keeping } = input
  return {
    name: keeping === 'memory' ? 'Node-RED' : 'Node-RED, kept in a file',
    version: input.version,
    triesForSeconds: null,
    settings: [
      'Core nodes only; editor, telemetry and admin API off; log level warn; listens on loopback.',
      ...(keeping === 'memory'
        ? ['http in → http response and http request; nothing is written to disk.']
        : [
            'http in → function node: writes the event under its own key into a context store "localfilesystem" with cache off, → http response after that → http request → function node: takes it out again.',
            'At a start an inject node sends what the store still holds.',
          ]),
      `"http request" hands what fails (no connection, not 2xx) to a catch node; a delay node waits ${RETRY_SECONDS} s; then again, without end.`,
      'keep-alive connections to the receiver are on.',
    ],
    async start(place) {
      emptyFolder(place.folder)
      const port = await freePort()
      const settings = join(place.folder, 'settings.cjs')
      writeFileSync(settings, `module.exports = ${JSON.stringify(settingsOf(port, keeping), null, 2)}\n`)
      writeFileSync(join(place.folder, 'flows.json'), JSON.stringify(flowOf(place, keeping), null, 2))
      const program = join(input.folder, 'node_modules/node-red/red.js')
      const args = [program, '--userDir', place.folder, '--settings', settings, join(place.folder, 'flows.json')]
      return runAgainAndAgain({
        launch: () => launchNode(args, {}, place.folder),
        ready: (launched) =>
          untilItAnswers(launched, `http://127.0.0.1:${port}/ready`, (status) => status === 200, 120_000),
        target: { port, path: '/in?account=', tokens: place.receivers.urls.map((_, index) => String(index)) },
        patienceMs: 10_000,
      })
    },
  }
}

function settingsOf(port: number, keeping: Keeping): object {
  return {
    uiPort: port,
    uiHost: '127.0.0.1',
    flowFile: 'flows.json',
    credentialSecret: false,
    disableEditor: true,
    httpAdminRoot: false,
    telemetry: { enabled: false, updateNotification: false },
    diagnostics: { enabled: false, ui: false },
    runtimeState: { enabled: false, ui: false },
    logging: { console: { level: 'warn', metrics: false, audit: false } },
    externalModules: { autoInstall: false, palette: { allowInstall: false }, modules: { allowInstall: false } },
    functionExternalModules: false,
    contextStorage:
      keeping === 'memory'
        ? { default: { module: 'memory' } }
        : { default: { module: 'memory' }, file: { module: 'localfilesystem', config: { cache: false } } },
  }
}

/** The nodes of the flow, as its editor saves them. Exported for its test. */
export function flowOf({ receivers }: Pick<Place, 'receivers'>, keeping: Keeping): Record<string, unknown>[] {
  const addresses = JSON.stringify(receivers.urls)
  const node = (id: string, type: string, more: Record<string, unknown>) => ({
    id,
    type,
    z: 'flow',
    name: id,
    x: 0,
    y: 0,
    ...more,
  })
  const code = (id: string, func: string, wires: string[][]) =>
    node(id, 'function', {
      func,
      outputs: wires.length,
      timeout: 0,
      noerr: 0,
      initialize: '',
      finalize: '',
      libs: [],
      wires,
    })
  const address = `const urls = ${addresses}
msg.url = urls[Number(msg.req.query.account)]
msg.event = msg.payload
`
  const forward = [
    node('request', 'http request', {
      method: 'POST',
      ret: 'obj',
      paytoqs: 'ignore',
      url: '',
      tls: '',
      persist: true,
      proxy: '',
      insecureHTTPParser: false,
      authType: '',
      senderr: true,
      headers: [],
      wires: [keeping === 'memory' ? [] : ['taken']],
    }),
    node('failed', 'catch', { scope: ['request'], uncaught: false, wires: [['wait']] }),
    node('wait', 'delay', {
      pauseType: 'delay',
      timeout: String(RETRY_SECONDS),
      timeoutUnits: 'seconds',
      rate: '1',
      nbRateUnits: '1',
      rateUnits: 'second',
      randomFirst: '1',
      randomLast: '5',
      randomUnits: 'seconds',
      drop: false,
      allowrate: false,
      outputs: 1,
      wires: [['again']],
    }),
    code(
      'again',
      'return { _msgid: msg._msgid, req: msg.req, res: msg.res, key: msg.key, url: msg.url, event: msg.event, payload: msg.event }',
      [['request']],
    ),
    node('answer', 'http response', { statusCode: '200', headers: {}, wires: [] }),
    node('asked', 'http in', { url: '/ready', method: 'get', upload: false, swaggerDoc: '', wires: [['answer']] }),
    node('in', 'http in', { url: '/in', method: 'post', upload: false, swaggerDoc: '', wires: [['keep']] }),
  ]
  const keep =
    keeping === 'memory'
      ? [
          code(
            'keep',
            `${address}const answer = { req: msg.req, res: msg.res, payload: { received: true } }
return [answer, msg]`,
            [['answer'], ['request']],
          ),
        ]
      : [
          code(
            'keep',
            `${address}msg.key = 'waiting.' + msg._msgid
flow.set(msg.key, { url: msg.url, event: msg.event }, 'file', (error) => {
  if (error) return node.error(error, msg)
  node.send([{ req: msg.req, res: msg.res, payload: { received: true } }, { key: msg.key, url: msg.url, event: msg.event, payload: msg.event }])
  node.done()
})`,
            [['answer'], ['request']],
          ),
          code(
            'taken',
            `flow.set(msg.key, undefined, 'file', (error) => {
  if (error) node.error(error, msg)
  node.done()
})`,
            [],
          ),
          node('start', 'inject', {
            props: [],
            repeat: '',
            crontab: '',
            once: true,
            onceDelay: 0.1,
            topic: '',
            wires: [['rest']],
          }),
          code(
            'rest',
            `flow.get('waiting', 'file', (error, waiting) => {
  if (error) return node.error(error, msg)
  for (const [id, kept] of Object.entries(waiting || {})) {
    node.send({ key: 'waiting.' + id, url: kept.url, event: kept.event, payload: kept.event })
  }
  node.done()
})`,
            [['request']],
          ),
        ]
  return [{ id: 'flow', type: 'tab', label: 'forward', disabled: false, info: '' }, ...forward, ...keep]
}
