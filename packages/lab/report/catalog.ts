// Every proof and bench, in running and display order. For `npm run prove` and for the page made from their figures.

export interface CatalogEntry {
  /** Name of its figures file, and for `--only` and `--skip`. */
  name: string
  title: string
  /** As in package.json. */
  command: string
  /** Arguments from `npm run prove`, besides `--record`. */
  args: string[]
  /** For the page: what the proof does, and what that shows. Two or three sentences. */
  says: string
  /** Approximate duration, minutes. */
  minutes: number
  /** Its figures are speeds: they need an otherwise idle machine. */
  quiet: boolean
}

export const CATALOG: readonly CatalogEntry[] = [
  {
    name: 'guard',
    title: 'No call reaches a private address',
    command: 'prove:guard',
    args: [],
    says: 'Every address of a corpus is checked as when it is saved and then posted to through the real sender; IP addresses are written in every way there is; a real DNS server changes its answers between the look and the dial. A canary listens where nobody may connect. Controls with a weaker guard must reach it, or the trial would show nothing.',
    minutes: 1,
    quiet: false,
  },
  {
    name: 'crash',
    title: 'kill -9 loses nothing that was acknowledged',
    command: 'prove:crash',
    args: ['--rounds', '200', '--seed', '1'],
    says: 'The built server is ended by kill -9 under load, over and over, and then at chosen statements: before, inside and after a commit, a settlement, a retention step, a replay, a migration. What was answered 200 must be stored once and delivered; counters must agree with rows.',
    minutes: 14,
    quiet: false,
  },
  {
    name: 'power',
    title: 'A power cut takes nothing that was acknowledged',
    command: 'prove:power',
    args: ['--rounds', '12', '--seed', '1'],
    says: 'Writes that were not synced are thrown away, page by page and torn, as a disk does without power. The same server with synchronous=NORMAL must lose something, or the trial would show nothing.',
    minutes: 4,
    quiet: false,
  },
  {
    name: 'disk',
    title: 'A disk in trouble means 503, never a false 200',
    command: 'prove:disk',
    args: ['--seed', '1'],
    says: 'The disk of the built server fills up, turns read-only, fails to sync or is slow, and is well again while the server runs. Nothing may be acknowledged that is not in the file, and nobody has to start it again.',
    minutes: 5,
    quiet: false,
  },
  {
    name: 'time',
    title: 'Three days of retries, holds and restarts against a model',
    command: 'prove:time',
    args: [],
    says: '72 hours of failures, holds, replays, kills and overlapping processes in pretend time, on 100 seeds, with a model that says after each step what must have happened. Faults that are put in on purpose must be noticed.',
    minutes: 12,
    quiet: false,
  },
  {
    name: 'automation',
    title: 'No customer is texted twice, wherever a run is cut off',
    command: 'prove:automation',
    args: ['--rounds', '1000', '--seed', '1'],
    says: 'The process of 1,000 automation runs is ended before and after every commit and every exchange with the platform, then at random under a platform that fails. A control without care must repeat messages, or the trial would show nothing.',
    minutes: 6,
    quiet: false,
  },
  {
    name: 'image',
    title: 'The image starts and stays up on its Node',
    command: 'prove:image',
    args: [],
    says: 'The steps of the Dockerfile are taken by hand, on the Node it names: install, build, prune, copy. What they made is started ten times, and loads pages and takes events for a minute while statements are prepared under garbage collection.',
    minutes: 6,
    quiet: false,
  },
  {
    name: 'soak',
    title: 'Half an hour of load and abuse at once',
    command: 'prove:soak',
    args: ['--minutes', '30', '--rate', '100', '--seed', '1'],
    says: 'The built server with a heap of at most 192 MB takes in 100 events a second for healthy and for hostile addresses, while slow senders hold hundreds of connections, junk floods its ingress, people read pages, rules run against a platform that fails, endpoints are paused, resumed and replayed, and receivers go away and come back. Nothing may grow, healthy deliveries arrive once, and SIGTERM under load loses nothing.',
    minutes: 34,
    quiet: false,
  },
  {
    name: 'siege',
    title: 'Ten minutes of siege, and ordinary accounts do not notice',
    command: 'prove:siege',
    args: ['--seconds', '600', '--seed', '1'],
    says: 'One hostile tenant and one stranger do everything that was ever found against the product, all of it at once, while twenty ordinary accounts take in 100 events a second and read pages. The built server runs as its image starts it, its platform in a process of its own, and so do the attackers. What counts is how much longer ordinary accounts wait than in a quiet phase just before, that nothing of theirs is refused or lost, and that the process stays below the memory of the image. With `--control` an older state of the project gets the same siege, and must break.',
    minutes: 13,
    quiet: false,
  },
  {
    name: 'fair',
    title: 'Nobody waits for somebody else’s broken server',
    command: 'prove:fair',
    args: ['--seed', '1'],
    says: '200 addresses of several accounts over real sockets, some of which hang, fall silent under load, share one origin, or belong to an account that floods. What counts is how much longer the healthy ones wait than in a quiet run just before.',
    minutes: 4,
    quiet: true,
  },
  {
    name: 'restore',
    title: 'A sealed backup of more than 1 GiB comes back',
    command: 'prove:restore',
    args: [],
    says: 'A database of more than 1 GiB is backed up while events come in, sealed, restored elsewhere, checked row by row, and booted in hold mode.',
    minutes: 10,
    quiet: false,
  },
  {
    name: 'bench',
    title: 'How fast it is, beside a bare handler',
    command: 'bench',
    args: [],
    says: 'Taking in, all the way to 200 receivers, and a steady stream, beside a program that does the least of the same work, in the same run on the same cores. Server, load and receivers share them.',
    minutes: 8,
    quiet: true,
  },
  {
    name: 'peers',
    title: 'The same job on n8n and on Node-RED',
    command: 'bench:peers',
    args: [],
    says: 'Event in, stored, forwarded, tried again: the same load and the same receivers for each, one after the other in the same run.',
    minutes: 20,
    quiet: true,
  },
  {
    name: 'bench-rules',
    title: 'Verdicts of rules on one core',
    command: 'bench:rules',
    args: [],
    says: 'Twenty rules of the kind that firms have, judged on 500 jobs, beside the same questions written by hand in plain JavaScript.',
    minutes: 1,
    quiet: true,
  },
  {
    name: 'bench-manager',
    title: 'The manager page of a busy account',
    command: 'bench:manager',
    args: [],
    says: '11 webhooks and 100,000 stored events beside an account that has nothing, on the same server, in turn.',
    minutes: 2,
    quiet: true,
  },
  {
    name: 'pages',
    title: 'How fast the pages feel',
    command: 'bench:pages',
    args: [],
    says: 'Every page in a real browser on a phone’s and on a desk’s width: what a first visit fetches, whether anything jumps, how long a press takes to show, and what three journeys cost a person in presses and seconds.',
    minutes: 4,
    quiet: true,
  },
  {
    name: 'bench-automation',
    title: 'From an event to what rules do',
    command: 'bench:automation',
    args: [],
    says: '100 accounts with rules, ten events a second, then a burst of one account: how long until the first action, how much longer the others wait, and how many calls to the platform are made.',
    minutes: 4,
    quiet: true,
  },
  {
    name: 'fuzz',
    title: 'Wrong input to every call',
    command: 'fuzz',
    args: ['--seed', '1'],
    says: 'Every call of the built server gets input that is wrong in type, size, encoding and shape. None may answer 5xx or write a complaint into the log.',
    minutes: 8,
    quiet: false,
  },
  {
    name: 'growth',
    title: 'No text makes work grow faster than itself',
    command: 'prove:growth',
    args: [],
    says: 'Every exported function that takes text is found in the sources and given texts made of one piece of our own grammars, over and over, at a quarter, a half and all of what can reach it. Processor time and what is kept of the result may grow at most 2.5-fold when the text doubles. What takes text and cannot be called by its types is named with a reason, and a test fails when a new one is not.',
    minutes: 10,
    quiet: false,
  },
  {
    name: 'mutate',
    title: 'Do the tests notice a planted fault?',
    command: 'mutate',
    args: [],
    says: 'Small faults are planted one after the other in the modules that guard addresses, say who may, and hold keys. A fault that no test notices is named in the output of the command.',
    minutes: 60,
    quiet: false,
  },
]
