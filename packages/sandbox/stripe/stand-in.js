// @ts-nocheck: served to browsers as it stands, with names that are filled in on the way.
// The stand-in for Stripe.js: a card form that only accepts the sandbox's test cards. Served by the sandbox itself, so
// that none of its pages loads anything from outside. Names in capitals between underscores are filled in when served.
;(() => {
  const API = __API__
  const CARDS = __TEST_CARDS__
  const RULES = `
    .sandbox-card { display: grid; gap: 0.875rem; font: inherit; color: inherit; }
    .sandbox-card p { margin: 0; }
    .sandbox-card-banner { border: 1px dashed currentColor; border-radius: 8px; padding: 0.625rem 0.75rem; }
    .sandbox-card-banner strong { display: block; }
    .sandbox-card-pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.5rem, 1fr)); gap: 0.875rem; }
    .sandbox-card-field { display: grid; gap: 0.25rem; align-content: start; min-inline-size: 0; }
    .sandbox-card-field label { font-weight: 500; }
    .sandbox-card-field input {
      font: inherit; font-size: 1rem; color: inherit; background: transparent; inline-size: 100%;
      min-block-size: 44px; padding: 0.5rem 0.75rem; border-radius: 8px; box-sizing: border-box;
      border: 1px solid color-mix(in srgb, currentColor 55%, transparent);
    }
    .sandbox-card-field input:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
    .sandbox-card-field input[aria-invalid='true'] { border-width: 2px; border-color: currentColor; }
    .sandbox-card-problem { font-weight: 500; }
    .sandbox-card-problem:empty { display: none; }
    .sandbox-card-problem:not(:empty)::before { content: '⚠ '; }
    .sandbox-card-field input::placeholder { color: inherit; opacity: 0.7; }
    .sandbox-card-list summary::before { content: none; }
    .sandbox-card-list summary { color: inherit; list-style: disclosure-closed inside; cursor: pointer; min-block-size: 44px; display: list-item; padding-block: 0.625rem; box-sizing: border-box; }
    .sandbox-card-list[open] summary { list-style-type: disclosure-open; }
    .sandbox-card-list ul { list-style: disc; margin: 0; padding-inline-start: 1.25rem; }
    .sandbox-card-list li { padding-block: 0.125rem; overflow-wrap: anywhere; }
  `

  let sheet = null
  function addRules() {
    // A constructed sheet comes from the page's own script, which a policy against inline styles allows.
    if (sheet || !('adoptedStyleSheets' in document) || typeof CSSStyleSheet !== 'function') return
    sheet = new CSSStyleSheet()
    sheet.replaceSync(RULES)
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  }

  function tag(name, attributes, ...children) {
    const node = document.createElement(name)
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value)
    node.append(...children)
    return node
  }

  const grouped = (number) => number.replace(/(\d{4})(?=\d)/g, '$1 ')
  const digitsOf = (text) => text.replace(/\D/g, '')

  const FIELDS = [
    { name: 'number', label: 'Card number', hint: '1234 1234 1234 1234', mode: 'numeric', longest: 23 },
    { name: 'expiry', label: 'Expiry date', hint: 'MM / YY', mode: 'numeric', longest: 9 },
    { name: 'cvc', label: 'CVC', hint: 'CVC', mode: 'numeric', longest: 4 },
    { name: 'postcode', label: 'Postcode', hint: 'SW1A 1AA', mode: 'text', longest: 12 },
  ]

  /**
   * The error of a field, or null. The number is checked here: a number that is not on the list never leaves the page.
   */
  function problemOf(name, text) {
    const digits = digitsOf(text)
    if (name === 'number') {
      if (digits.length < 13) return ['incomplete_number', 'Your card number is incomplete.']
      if (CARDS.some((card) => card.number === digits)) return null
      return ['incorrect_number', 'This is a sandbox: it takes only its own test cards, like 4242 4242 4242 4242.']
    }
    if (name === 'expiry') {
      const date = expiryOf(text)
      if (!date) return ['incomplete_expiry', 'Your card’s expiry date is incomplete.']
      if (date.month < 1 || date.month > 12) return ['invalid_expiry_month', 'Your card’s expiry date is invalid.']
      return null
    }
    if (name === 'cvc')
      return digits.length >= 3 ? null : ['incomplete_cvc', 'Your card’s security code is incomplete.']
    return text.trim() === '' ? ['incomplete_zip', 'Your postcode is incomplete.'] : null
  }

  function expiryOf(text) {
    const match = /^\s*(\d{1,2})\s*\/?\s*(\d{2}|\d{4})\s*$/.exec(text)
    return match ? { month: Number(match[1]), year: Number(match[2]) } : null
  }

  function createPaymentElement() {
    const listeners = new Map()
    let root = null
    const inputs = {}
    const problems = {}

    function emit(event, detail) {
      for (const tell of [...(listeners.get(event) ?? [])]) tell(detail)
    }

    const state = () => FIELDS.map(({ name }) => [name, problemOf(name, inputs[name]?.value ?? '')])

    function changed() {
      const empty = FIELDS.every(({ name }) => (inputs[name]?.value ?? '') === '')
      const complete = state().every(([, problem]) => problem === null)
      emit('change', { elementType: 'payment', empty, complete, collapsed: false, value: { type: 'card' } })
    }

    function show(name, problem) {
      problems[name].textContent = problem ? problem[1] : ''
      if (problem) inputs[name].setAttribute('aria-invalid', 'true')
      else inputs[name].removeAttribute('aria-invalid')
    }

    function drawField({ name, label, hint, mode, longest }) {
      const id = `sandbox-card-${name}`
      const input = tag('input', {
        id,
        type: 'text',
        inputmode: mode,
        autocomplete: 'off',
        autocorrect: 'off',
        spellcheck: 'false',
        'data-lpignore': 'true',
        'data-1p-ignore': 'true',
        maxlength: String(longest),
        placeholder: hint,
        'aria-describedby': `${id}-problem`,
      })
      const problem = tag('p', { id: `${id}-problem`, class: 'sandbox-card-problem', 'aria-live': 'polite' })
      inputs[name] = input
      problems[name] = problem
      input.addEventListener('input', () => {
        tidy(name, input)
        show(name, null)
        changed()
      })
      input.addEventListener('blur', () => {
        if (input.value !== '') show(name, problemOf(name, input.value))
        emit('blur', { elementType: 'payment' })
      })
      input.addEventListener('focus', () => emit('focus', { elementType: 'payment' }))
      return tag('div', { class: 'sandbox-card-field' }, tag('label', { for: id }, label), input, problem)
    }

    /** Inserts spaces and the slash, unless the cursor is in the middle of the text. */
    function tidy(name, input) {
      if (input.selectionStart !== input.value.length) return
      if (name === 'number') input.value = grouped(digitsOf(input.value).slice(0, 19))
      if (name === 'expiry' && /^\d{3,}$/.test(input.value))
        input.value = `${input.value.slice(0, 2)} / ${input.value.slice(2)}`
    }

    function draw() {
      const [number, expiry, cvc, postcode] = FIELDS.map(drawField)
      const banner = tag(
        'p',
        { class: 'sandbox-card-banner' },
        tag('strong', {}, 'Sandbox: no real payment'),
        'Use a test card such as 4242 4242 4242 4242 with any future date and any CVC. Never type a real card here.',
      )
      const list = tag(
        'details',
        { class: 'sandbox-card-list' },
        tag('summary', {}, 'Test cards'),
        tag('ul', {}, ...CARDS.map((card) => tag('li', {}, `${grouped(card.number)}: ${card.words.toLowerCase()}`))),
      )
      const pair = tag('div', { class: 'sandbox-card-pair' }, expiry, cvc)
      return tag('div', { class: 'sandbox-card' }, banner, number, pair, postcode, list)
    }

    const element = {
      mount(where) {
        const node = typeof where === 'string' ? document.querySelector(where) : where
        if (!node) throw new Error('There is no such element to mount to.')
        addRules()
        root = draw()
        node.replaceChildren(root)
        emit('loaderstart', { elementType: 'payment' })
        setTimeout(() => root && emit('ready', { elementType: 'payment' }), 0)
        return element
      },
      on(event, tell) {
        listeners.set(event, [...(listeners.get(event) ?? []), tell])
        return element
      },
      once(event, tell) {
        const first = (detail) => {
          element.off(event, first)
          tell(detail)
        }
        return element.on(event, first)
      },
      off(event, tell) {
        const left = (listeners.get(event) ?? []).filter((one) => tell && one !== tell)
        listeners.set(event, left)
        return element
      },
      update: () => element,
      collapse: () => element,
      focus: () => inputs.number?.focus(),
      blur: () => document.activeElement?.blur(),
      clear() {
        for (const { name } of FIELDS) inputs[name].value = ''
        changed()
      },
      unmount() {
        root?.remove()
        root = null
      },
      destroy() {
        element.unmount()
        listeners.clear()
      },
      /** Shows every error and focuses the first. Returns the first error, or null. */
      check() {
        if (!root) return ['element_not_mounted', 'The card form is not on the page.']
        let first = null
        for (const [name, problem] of state()) {
          show(name, problem)
          if (problem && !first) {
            first = problem
            inputs[name].focus()
          }
        }
        return first
      },
      card() {
        const { month, year } = expiryOf(inputs.expiry.value)
        return {
          'payment_method_data[type]': 'card',
          'payment_method_data[card][number]': digitsOf(inputs.number.value),
          'payment_method_data[card][exp_month]': String(month),
          'payment_method_data[card][exp_year]': String(year),
          'payment_method_data[card][cvc]': digitsOf(inputs.cvc.value),
          'payment_method_data[billing_details][address][postal_code]': inputs.postcode.value.trim(),
        }
      },
    }
    return element
  }

  function createElements(options = {}) {
    let payment = null
    const elements = {
      create(type) {
        if (type !== 'payment') throw new Error(`The sandbox has only the payment element, not ${type}.`)
        payment = createPaymentElement()
        return publicPart(payment)
      },
      getElement: () => (payment ? publicPart(payment) : null),
      async submit() {
        const problem = payment ? payment.check() : ['element_not_mounted', 'The card form is not on the page.']
        return problem ? { error: validation(problem) } : { selectedPaymentMethod: 'card' }
      },
      update(changes) {
        Object.assign(options, changes)
      },
      fetchUpdates: async () => ({}),
    }
    inside.set(elements, { options, payment: () => payment })
    return elements
  }

  /** Internals of elements, hidden from the page. */
  const inside = new WeakMap()
  const shownAs = new WeakMap()

  function publicPart(element) {
    if (!shownAs.has(element)) {
      const { check: _check, card: _card, ...shown } = element
      shownAs.set(element, shown)
    }
    return shownAs.get(element)
  }

  const validation = ([code, message]) => ({ type: 'validation_error', code, message })

  const idOf = (clientSecret) => String(clientSecret).split('_secret_')[0]

  async function call(key, path, body) {
    let response
    try {
      response = await fetch(`${API}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${key}` },
        body: body ? new URLSearchParams(body) : undefined,
        credentials: 'omit',
      })
    } catch {
      return {
        error: {
          type: 'api_connection_error',
          message:
            'We are experiencing issues connecting to our payments provider. Please check your internet connection and try again.',
        },
      }
    }
    const said = await response.json().catch(() => null)
    if (response.ok && said) return { paymentIntent: said }
    const error = said?.error ?? { type: 'api_error', message: 'The payment could not be made. Please try again.' }
    return { error }
  }

  function withOutcome(returnUrl, intent, status) {
    const url = new URL(returnUrl, location.href)
    url.searchParams.set('payment_intent', intent.id)
    url.searchParams.set('payment_intent_client_secret', intent.client_secret)
    url.searchParams.set('redirect_status', status)
    return url.href
  }

  /** Leaves the page: the promise never resolves, because a waiting caller would only interfere. */
  function leaveFor(address) {
    location.assign(address)
    return new Promise(() => {})
  }

  function createStripe(key) {
    const refuse = async () => ({
      error: { type: 'invalid_request_error', message: 'The sandbox pays with confirmPayment only.' },
    })
    const stripe = {
      elements: (options) => createElements({ ...options }),
      async confirmPayment({ elements, clientSecret, confirmParams = {}, redirect = 'always' }) {
        const own = inside.get(elements)
        const payment = own?.payment()
        if (!payment) return { error: validation(['element_not_mounted', 'The card form is not on the page.']) }
        const problem = payment.check()
        if (problem) return { error: validation(problem) }
        const secret = clientSecret ?? own.options.clientSecret
        const returnUrl = confirmParams.return_url ?? ''
        const result = await call(key, `/payment_intents/${idOf(secret)}/confirm`, {
          client_secret: secret,
          ...(returnUrl === '' ? {} : { return_url: returnUrl }),
          ...payment.card(),
        })
        const intent = result.paymentIntent
        const action = intent?.status === 'requires_action' ? intent.next_action?.redirect_to_url : null
        if (action) return leaveFor(action.url)
        if (intent && redirect === 'always' && returnUrl !== '') {
          return leaveFor(withOutcome(returnUrl, intent, intent.status === 'succeeded' ? 'succeeded' : 'failed'))
        }
        return result
      },
      async retrievePaymentIntent(secret) {
        return call(key, `/payment_intents/${idOf(secret)}?client_secret=${encodeURIComponent(secret)}`)
      },
      handleNextAction: refuse,
      createToken: refuse,
      createPaymentMethod: refuse,
      confirmCardPayment: refuse,
      registerAppInfo() {},
      _registerWrapper() {},
    }
    return stripe
  }

  function Stripe(key) {
    if (key !== __KEY__) throw new Error('The sandbox’s Stripe.js works with the sandbox’s publishable key only.')
    return createStripe(key)
  }
  Stripe.version = 'endive'
  window.Stripe = Stripe
})()
