// Draws the import law: which part of the product imports which, how often. Parts: docs/architecture.md, "The house".

/**
 * @typedef {{ source: string, dependencies: { resolved: string, dependencyTypes: string[] }[] }} Module as dependency-cruiser reports it
 * @typedef {{ name: string, says: string, path: RegExp, x: number, y: number, width: number }} Part
 * @typedef {{ from: string, to: string, values: number, types: number }} Edge `values` = imports of code, `types` = `import type`
 * @typedef {{ files: Map<string, number>, edges: Edge[] }} Graph
 */

const TEST = /\.test\.tsx?$/

/** A file belongs to the first part that matches. @type {readonly Part[]} */
export const PARTS = [
  { name: 'lib', says: 'the floor', path: /^app\/lib\//, x: 40, y: 640, width: 1180 },
  { name: 'pixels', says: 'ui/: draw', path: /^app\/(ui\/|styles\/|features\/.+\/ui\/)/, x: 40, y: 310, width: 170 },
  { name: 'use cases', says: '.server.ts: act', path: /^app\/features\/.+\.server\.tsx?$/, x: 320, y: 310, width: 220 },
  {
    name: 'decisions',
    says: '.ts: decide; contract and domain are their floors',
    path: /^app\/(features|contract|domain)\//,
    x: 40,
    y: 470,
    width: 600,
  },
  { name: 'adapters', says: 'the outside', path: /^app\/adapters\//, x: 630, y: 310, width: 160 },
  { name: 'engine', says: 'no feature', path: /^app\/engine\//, x: 905, y: 310, width: 160 },
  { name: 'sandbox', says: 'stand-in', path: /^packages\/sandbox\//, x: 1085, y: 310, width: 135 },
  { name: 'App', says: 'types only', path: /^app\/context\//, x: 830, y: 150, width: 130 },
  { name: 'store', says: 'what can be asked', path: /^db\/store(\.ts$|\/)/, x: 800, y: 470, width: 190 },
  { name: 'db', says: 'all SQL', path: /^db\//, x: 1040, y: 470, width: 180 },
  { name: 'http', says: 'session, guards', path: /^app\/http\//, x: 560, y: 150, width: 180 },
  {
    name: 'routes',
    says: 'one per address',
    path: /^app\/(routes\/|root\.tsx$|routes\.ts$)/,
    x: 170,
    y: 150,
    width: 220,
  },
  { name: 'boot', says: 'boot, commands, entries: put the parts together', path: /^app\//, x: 40, y: 40, width: 1180 },
]

const HEIGHT = 62
/** Arrows from boot and to lib are omitted and mentioned in their boxes: every part has them. */
const ALL_FROM = 'boot'
const ALL_TO = 'lib'

/** @param {string} file a path from the root @returns {string | null} null = the file is not part of the product */
export function partOf(file) {
  if (TEST.test(file)) return null
  return PARTS.find((part) => part.path.test(file))?.name ?? null
}

/** @param {readonly Module[]} modules @returns {Graph} */
export function graphOf(modules) {
  /** @type {Map<string, number>} */
  const files = new Map()
  /** @type {Map<string, Edge>} */
  const edges = new Map()
  for (const { source, dependencies } of modules) {
    const from = partOf(source)
    if (!from) continue
    files.set(from, (files.get(from) ?? 0) + 1)
    for (const { resolved, dependencyTypes } of dependencies) {
      const to = partOf(resolved)
      if (!to || to === from) continue
      const key = `${from} → ${to}`
      const edge = edges.get(key) ?? { from, to, values: 0, types: 0 }
      edges.set(key, edge)
      if (dependencyTypes.includes('type-only')) edge.types++
      else edge.values++
    }
  }
  return { files, edges: [...edges.values()].sort((a, b) => keyOf(a).localeCompare(keyOf(b))) }
}

/** @param {Edge} edge */
const keyOf = ({ from, to }) => `${from} → ${to}`

/**
 * Differences between the picture and the code, one sentence each. Counts may drift a little between two drawings: one
 * more import of an existing kind is no difference.
 *
 * @param {string} svg @param {Graph} graph
 */
export function whatIsStale(svg, graph) {
  const drawn = new Map(
    [...svg.matchAll(/data-edge="([^"]+)" data-count="(\d+)"/g)].map(([, key, count]) => [key, Number(count)]),
  )
  /** @type {string[]} */
  const stale = []
  for (const edge of graph.edges) {
    const [key, now] = [keyOf(edge), edge.values + edge.types]
    const before = drawn.get(key)
    drawn.delete(key)
    if (before === undefined) stale.push(`${key} is not in the picture.`)
    else if (Math.abs(now - before) > Math.max(10, before / 4)) stale.push(`${key} says ${before} and is ${now}.`)
  }
  for (const key of drawn.keys()) stale.push(`${key} is in the picture and no longer in the code.`)
  return stale
}

/** @param {string} name */
function placeOf(name) {
  const part = PARTS.find((one) => one.name === name)
  if (!part) throw new Error(`no part ${name}`)
  return part
}

/** Deterministic: the same graph gives the same text, byte for byte. @param {Graph} graph */
export function drawPicture(graph) {
  const { files, edges } = graph
  const drawn = edges.filter((edge) => edge.from !== ALL_FROM && edge.to !== ALL_TO)
  const told = edges.filter((edge) => edge.from === ALL_FROM || edge.to === ALL_TO)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1260 790" role="img" aria-labelledby="title says" font-family="Inter, system-ui, sans-serif">
<title id="title">Which part imports which</title>
<desc id="says">${sentencesOf(edges)}</desc>
<style>
.sheet { fill: #ffffff } .box { fill: #f4f6f8; stroke: #5b6875; stroke-width: 1.25 } .name { font-size: 17px; font-weight: 650; fill: #17212b }
.says { font-size: 12.5px; fill: #4a5763 } .arrow { fill: none; stroke: #3d6f9e; stroke-width: 1.5 } .type { stroke-dasharray: 5 4; stroke: #7a6a9c }
.count { font-size: 12.5px; font-weight: 600; fill: #24486b; paint-order: stroke; stroke: #ffffff; stroke-width: 5px }
.head { fill: #3d6f9e } .head-type { fill: #7a6a9c } .note { font-size: 13px; fill: #4a5763 }
</style>
<defs>
<marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto"><path class="head" d="M0 0 10 5 0 10z"/></marker>
<marker id="head-type" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto"><path class="head-type" d="M0 0 10 5 0 10z"/></marker>
</defs>
<rect class="sheet" width="1260" height="790"/>
${told.map((edge) => `<g data-edge="${keyOf(edge)}" data-count="${edge.values + edge.types}"/>`).join('\n')}
${drawn.map((edge) => arrow(edge, drawn)).join('\n')}
${PARTS.filter(({ name }) => files.has(name))
  .map((part) => box(part, files.get(part.name) ?? 0, edges))
  .join('\n')}
<text class="note" x="40" y="738">An arrow is "imports"; its number is how many times. Dashed: only types. Everybody may import lib, and boot may import everybody: no arrows for those.</text>
<text class="note" x="40" y="760">The law itself stands in .dependency-cruiser.cjs and is kept by npm run check. Drawn from the code by npm run picture.</text>
</svg>
`
}

/** The text alternative of the picture. @param {readonly Edge[]} edges */
function sentencesOf(edges) {
  const from = [...new Set(edges.map((edge) => edge.from))]
  return from
    .map((name) => {
      const own = edges.filter((edge) => edge.from === name)
      return `${name} imports ${own.map(({ to, values, types }) => `${to} (${values + types}${values === 0 ? ', types only' : ''})`).join(', ')}.`
    })
    .join(' ')
}

/** @param {Part} part @param {number} files @param {readonly Edge[]} edges */
function box({ name, says, x, y, width }, files, edges) {
  const middle = x + width / 2
  const sum = (/** @type {readonly Edge[]} */ some) => some.reduce((all, { values, types }) => all + values + types, 0)
  const more =
    name === ALL_FROM
      ? `; imports everybody: ${sum(edges.filter((edge) => edge.from === ALL_FROM))}`
      : name === ALL_TO
        ? `; imported by everybody: ${sum(edges.filter((edge) => edge.to === ALL_TO))}`
        : ''
  return `<g><rect class="box" x="${x}" y="${y}" width="${width}" height="${HEIGHT}" rx="8"/><text class="name" x="${middle}" y="${y + 25}" text-anchor="middle">${name}</text><text class="says" x="${middle}" y="${y + 46}" text-anchor="middle">${says}; ${files} ${files === 1 ? 'file' : 'files'}${more}</text></g>`
}

/**
 * Each arrow leaves and enters at the side that faces the other box; ends that share a side are ordered by their
 * target.
 *
 * @param {Edge} edge @param {readonly Edge[]} all
 */
function arrow(edge, all) {
  const { from, to, values, types } = edge
  const start = endOf(from, edge, all)
  const end = endOf(to, edge, all)
  const bend = start.side === 'left' || start.side === 'right' ? 0 : Math.max(36, Math.abs(end.y - start.y) / 2)
  const out = start.side === 'bottom' ? bend : start.side === 'top' ? -bend : 0
  const into = end.side === 'bottom' ? bend : end.side === 'top' ? -bend : 0
  const path =
    bend === 0
      ? `M${start.x} ${start.y} L${end.x} ${end.y}`
      : `M${start.x} ${start.y} C${start.x} ${start.y + out} ${end.x} ${end.y + into} ${end.x} ${end.y}`
  const kind = values === 0 ? ' type' : ''
  const at = {
    x: Math.round(along(start.x, start.x, end.x, end.x)),
    y: Math.round(along(start.y, start.y + out, end.y + into, end.y)),
  }
  return `<g data-edge="${keyOf(edge)}" data-count="${values + types}"><path class="arrow${kind}" d="${path}" marker-end="url(#head${kind ? '-type' : ''})"/><text class="count" x="${at.x}" y="${at.y + 4}" text-anchor="middle">${values + types}</text></g>`
}

/**
 * A point at one third of a curve: the position of the number.
 * @param {number} a @param {number} b @param {number} c @param {number} d
 */
function along(a, b, c, d) {
  const [t, rest] = [0.32, 0.68]
  return rest ** 3 * a + 3 * rest ** 2 * t * b + 3 * rest * t ** 2 * c + t ** 3 * d
}

/** @param {string} name @param {Edge} edge @param {readonly Edge[]} all */
function endOf(name, edge, all) {
  const part = placeOf(name)
  const side = sideOf(name, edge)
  const neighbours = all
    .filter((other) => (other.from === name || other.to === name) && sideOf(name, other) === side)
    .sort((a, b) => middleOf(otherEnd(name, a)) - middleOf(otherEnd(name, b)) || keyOf(a).localeCompare(keyOf(b)))
  const share = (neighbours.indexOf(edge) + 1) / (neighbours.length + 1)
  if (side === 'left' || side === 'right') {
    return { side, x: side === 'left' ? part.x : part.x + part.width, y: Math.round(part.y + HEIGHT * share) }
  }
  return { side, x: Math.round(part.x + part.width * share), y: side === 'top' ? part.y : part.y + HEIGHT }
}

/** @param {string} name @param {Edge} edge @returns {'top' | 'bottom' | 'left' | 'right'} */
function sideOf(name, edge) {
  const [own, other] = [placeOf(name), placeOf(otherEnd(name, edge))]
  if (own.y === other.y && isBetween(own, other)) return own.y < 200 ? 'top' : 'bottom'
  if (own.y === other.y) return own.x < other.x ? 'right' : 'left'
  return own.y < other.y ? 'bottom' : 'top'
}

/**
 * Whether a box stands between two of a row: then the arrow goes around it.
 * @param {Part} one @param {Part} other
 */
function isBetween(one, other) {
  const [from, to] = one.x < other.x ? [one, other] : [other, one]
  return PARTS.some((part) => part.y === one.y && part.x > from.x && part.x < to.x)
}

/** @param {string} name @param {Edge} edge */
function otherEnd(name, { from, to }) {
  return from === name ? to : from
}

/** @param {string} name */
function middleOf(name) {
  const { x, width } = placeOf(name)
  return x + width / 2
}
