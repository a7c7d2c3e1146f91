// A browser over HTTP, without screen and scripts: cookies, redirects, forms. For walks through the real server.

interface Page {
  url: string
  status: number
  text: string
}

export interface ScriptlessBrowser {
  get(url: string): Promise<Page>
  /** Submits a form's fields as the page's own form does (same origin as the posted address). */
  submit(url: string, fields: Record<string, string>): Promise<Page>
  /** A call from the page's own script. */
  json(method: string, url: string, body?: unknown): Promise<{ status: number; body: unknown; headers: Headers }>
  /** A call with exactly these headers beside the cookies; redirects are not followed. */
  raw(
    method: string,
    url: string,
    body: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; text: string; headers: Headers }>
  /** Like `raw`, with a body that is sent unchanged. */
  rawText(
    method: string,
    url: string,
    body: string | undefined,
    headers: Record<string, string>,
  ): Promise<{ status: number; text: string }>
  /** The Cookie header it would send: `name=value; …`. */
  cookie(): string
}

/** @param always headers of every request, such as those of a proxy in front of the server */
export function scriptlessBrowser(origin: string, always: Record<string, string> = {}): ScriptlessBrowser {
  const cookies = new Map<string, string>()
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

  const keep = (answer: Response): void => {
    for (const line of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';')
      const name = pair.slice(0, pair.indexOf('=')).trim()
      const gone = attributes.some((one) => /^\s*max-age=0$/i.test(one) || /^\s*expires=Thu, 01 Jan 1970/i.test(one))
      if (gone) cookies.delete(name)
      else cookies.set(name, pair.slice(pair.indexOf('=') + 1))
    }
  }
  const send = async (url: string, init: RequestInit & { headers?: Record<string, string> }): Promise<Response> => {
    const kept = cookie()
    const answer = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...always, ...(kept ? { cookie: kept } : {}), ...init.headers },
    })
    keep(answer)
    return answer
  }
  const follow = async (first: Response, from: string): Promise<Page> => {
    let answer = first
    let url = from
    for (let hops = 0; answer.status >= 300 && answer.status < 400; hops += 1) {
      if (hops > 10) throw new Error(`too many redirects from ${from}`)
      url = new URL(answer.headers.get('location') ?? '', url).href
      answer = await send(url, { method: 'GET' })
    }
    return { url, status: answer.status, text: await answer.text() }
  }
  return {
    cookie,
    get: async (path) => {
      const url = new URL(path, origin).href
      return follow(await send(url, { method: 'GET' }), url)
    },
    submit: async (path, fields) => {
      const url = new URL(path, origin).href
      const answer = await send(url, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { origin: new URL(url).origin, 'sec-fetch-site': 'same-origin' },
      })
      return follow(answer, url)
    },
    raw: async (method, path, body, headers = {}) => {
      const answer = await send(new URL(path, origin).href, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      })
      return { status: answer.status, text: await answer.text(), headers: answer.headers }
    },
    rawText: async (method, path, body, headers) => {
      const answer = await send(new URL(path, origin).href, {
        method,
        ...(body === undefined ? {} : { body }),
        headers,
      })
      return { status: answer.status, text: await answer.text() }
    },
    json: async (method, path, body) => {
      const answer = await send(new URL(path, origin).href, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        headers: { origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
      })
      const text = await answer.text()
      return { status: answer.status, body: text ? JSON.parse(text) : null, headers: answer.headers }
    },
  }
}

/** The value of an input or button of a page's markup, by its name. */
export function fieldValue(html: string, name: string): string {
  const tag = html.match(new RegExp(`<(?:input|button)[^>]*name="${name}"[^>]*>`))?.[0] ?? ''
  return (tag.match(/value="([^"]*)"/)?.[1] ?? '').replaceAll('&amp;', '&').replaceAll('&quot;', '"')
}
