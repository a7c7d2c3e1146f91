// Reads the controls of a rendered form: name, value, options, and possible input. For tests that visit every existing
// control, so that new controls are included automatically.

export interface DrawnControl {
  name: string
  kind: 'text' | 'number' | 'date' | 'datetime-local' | 'time' | 'box' | 'choice'
  /** The displayed value; a ticked box has its value. */
  value: string
  /** The options of a choice; the one value of a box. Without the option for "nothing chosen". */
  options: string[]
  /** Marked as invalid. */
  wrong: boolean
}

/** One input of the markup as submitted, visible or not. */
export interface Sent {
  name: string
  value: string
}

const TAG = /<(input|select|textarea|option|button)\b([^>]*?)\/?>|<\/(select|textarea)>/g
const ATTRIBUTE = /([\w:-]+)(?:="([^"]*)")?/g
const TYPED = ['number', 'date', 'datetime-local', 'time'] as const

/** Parses server-rendered markup: the controls a person can fill in, and the fields a browser would send. */
export function readMarkup(html: string): { controls: DrawnControl[]; sent: Sent[]; buttons: string[] } {
  const controls = new Map<string, DrawnControl>()
  const sent: Sent[] = []
  const buttons: string[] = []
  let select: DrawnControl | null = null
  let first: string | null = null
  let text: { control: DrawnControl; from: number } | null = null
  for (const match of html.matchAll(TAG)) {
    const [all, tag = '', written = '', closed] = match
    const attributes = new Map([...written.matchAll(ATTRIBUTE)].map(([, name = '', value = '']) => [name, value]))
    const at = (name: string) => unescaped(attributes.get(name) ?? '')
    const has = (name: string) => attributes.has(name)
    const wrong = at('aria-invalid') === 'true'
    if (closed === 'select' && select) {
      // A browser selects the first option when none is marked.
      if (select.value === NOTHING) select.value = first ?? ''
      sent.push({ name: select.name, value: select.value })
      select = null
    } else if (closed === 'textarea' && text) {
      text.control.value = unescaped(html.slice(text.from, match.index)).replace(/^\n/, '')
      sent.push({ name: text.control.name, value: text.control.value })
      text = null
    } else if (tag === 'option' && select) {
      const value = at('value')
      first ??= value
      if (value !== '') select.options.push(value)
      if (has('selected')) select.value = value
    } else if (tag === 'button') buttons.push(at('value'))
    else if (has('disabled') || at('name') === '') continue
    else if (tag === 'select') {
      first = null
      select = keep(controls, { name: at('name'), kind: 'choice', value: NOTHING, options: [], wrong })
    } else if (tag === 'textarea') {
      const control = keep(controls, { name: at('name'), kind: 'text', value: '', options: [], wrong })
      text = { control, from: match.index + all.length }
    } else if (tag === 'input') {
      const type = at('type')
      const name = at('name')
      const value = at('value')
      const isTicked = has('checked')
      if (type === 'radio' || type === 'checkbox') {
        const kind = type === 'radio' ? ('choice' as const) : ('box' as const)
        const known = controls.get(name)
        const control =
          known && known.kind === kind ? known : keep(controls, { name, kind, value: '', options: [], wrong })
        if (value !== '') control.options.push(value)
        if (isTicked) control.value = value
        if (isTicked) sent.push({ name, value })
      } else {
        sent.push({ name, value })
        const kind = TYPED.find((one) => one === type) ?? 'text'
        if (type !== 'hidden') keep(controls, { name, kind, value, options: [], wrong })
      }
    }
  }
  return { controls: [...controls.values()], sent, buttons }
}

const NOTHING = '\0'

function keep(controls: Map<string, DrawnControl>, control: DrawnControl): DrawnControl {
  controls.set(control.name, control)
  return control
}

function unescaped(text: string): string {
  if (!text.includes('&')) return text
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

/** Like `readMarkup`, for a form in a browser. */
export function readForm(form: HTMLFormElement): DrawnControl[] {
  const controls = new Map<string, DrawnControl>()
  for (const element of form.querySelectorAll<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>(
    'input, select, textarea',
  )) {
    const { name, value, type } = element
    if (name === '' || type === 'hidden' || element.disabled) continue
    const wrong = element.getAttribute('aria-invalid') === 'true'
    if (type === 'radio' || type === 'checkbox') {
      const kind = type === 'radio' ? ('choice' as const) : ('box' as const)
      const control = controls.get(name) ?? keep(controls, { name, kind, value: '', options: [], wrong })
      if (value !== '') control.options.push(value)
      if ((element as HTMLInputElement).checked) control.value = value
    } else if (element.tagName === 'SELECT') {
      const options = [...(element as HTMLSelectElement).options].map((option) => option.value)
      keep(controls, { name, kind: 'choice', value, options: options.filter((one) => one !== ''), wrong })
    } else {
      keep(controls, { name, kind: TYPED.find((one) => one === type) ?? 'text', value, options: [], wrong })
    }
  }
  return [...controls.values()]
}

/** Names that stay the same when the form is rendered again: rows by position instead of key. */
export function placedNames(names: readonly string[]): (name: string) => string {
  const places = new Map<string, number>()
  const count = new Map<string, number>()
  const place = (key: string) => {
    const known = places.get(key)
    if (known !== undefined) return known
    const letter = key[0] ?? ''
    const next = (count.get(letter) ?? 0) + 1
    count.set(letter, next)
    places.set(key, next)
    return next
  }
  const placed = (name: string) =>
    name
      .replace(/^o\.s\.(s\d+)\./, '$1.o.')
      .replace(/^[cs]\.(?=[cs]\d)/, '')
      .replace(/\b[csl]\d+\b/g, (key) => `${key[0]}#${place(key)}`)
  for (const name of names) placed(name)
  return placed
}

/** Whether the control is an alternative to another one: for an id outside its list, a day outside any calendar. */
export function isOtherWay(name: string): boolean {
  return /(^|\.)o\./.test(name)
}

/** The main control of an alternative one. */
export function mainWay(name: string): string {
  return name.replace(/(^|\.)o\./, '$1')
}

/** Possible inputs, the likeliest first: a form shows which of them it accepts. Each `number` gives different ones. */
export function typables(kind: DrawnControl['kind'], number: number): string[] {
  const two = (part: number) => String(part).padStart(2, '0')
  const day = `2031-03-${two((number % 28) + 1)}`
  switch (kind) {
    case 'number':
      return [String(2 + (number % 20)), '5', '1']
    case 'date':
      return [day]
    case 'datetime-local':
      return [`${day}T07:${two(number % 60)}`]
    case 'time':
      return [`07:${two(number % 60)}`]
    default:
      return [
        `Walked ${number}`,
        `walked${number}@example.com`,
        `+4477009${String(number).padStart(5, '0')}`,
        `https://hooks.example.com/walked/${number}`,
        `TODAY+${number}`,
        day,
        String(1_000 + number),
        `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
        `${number % 60} 7 * * 1`,
        'job_description',
        '1',
        'Quote',
      ]
  }
}

/** Every text and number anywhere in the value, as text. */
export function textsIn(value: unknown): Set<string> {
  const found = new Set<string>()
  const visit = (one: unknown): void => {
    if (typeof one === 'string') found.add(one)
    else if (typeof one === 'number') found.add(String(one))
    else if (Array.isArray(one)) one.forEach(visit)
    else if (typeof one === 'object' && one !== null) Object.values(one).forEach(visit)
  }
  visit(value)
  return found
}
