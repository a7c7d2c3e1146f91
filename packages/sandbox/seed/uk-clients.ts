import type { ClientPlan } from './plan.ts'

const leeds = (street: string, postcode: string) => ({ street, city: 'Leeds', state: '', postcode })

export const UK_CLIENTS: readonly ClientPlan[] = [
  {
    key: 'hartley',
    name: 'Joan Hartley',
    individual: true,
    address: leeds('14 Marlow Rise', 'LS6 2CV'),
    people: [{ first: 'Joan', last: 'Hartley', mobile: '+447700900210', email: 'joan.hartley@example.com' }],
    badges: ['due'],
  },
  {
    key: 'meanwood',
    name: 'Meanwood Lettings Ltd',
    address: leeds('Office 3, 22 Tannery Row', 'LS6 4KM'),
    people: [
      {
        first: 'Callum',
        last: 'Reeve',
        mobile: '+447700900221',
        phone: '0113 496 0021',
        email: 'callum@meanwood-lettings.test',
      },
      {
        first: 'Accounts',
        last: 'Meanwood Lettings',
        phone: '0113 496 0022',
        email: 'accounts@meanwood-lettings.test',
      },
    ],
    website: 'https://meanwood-lettings.test',
    terms: '30 days',
    badges: ['landlord', 'key'],
  },
  {
    key: 'bramble',
    name: 'Bramble Day Nursery',
    address: leeds('5 Orchard Bank', 'LS8 1OC'),
    people: [
      { first: 'Fiona', last: 'Maddox', mobile: '+447700900232', email: 'fiona@bramble-nursery.test' },
      { first: 'Nursery', last: 'Bookkeeping', email: 'invoices@bramble-nursery.test' },
    ],
    terms: '30 days',
  },
  {
    key: 'osei',
    name: 'Kwame Osei',
    individual: true,
    address: leeds('61 Foxglove Avenue', 'LS8 3IV'),
    people: [{ first: 'Kwame', last: 'Osei', mobile: '07700 900243', email: 'kwame.osei@example.com' }],
    badges: ['dog'],
  },
  {
    key: 'weavers',
    name: 'The Weavers Arms',
    address: leeds('2 Shuttle Street', 'LS12 1MO'),
    people: [
      {
        first: 'Dee',
        last: 'Lockwood',
        mobile: '+447700900254',
        phone: '0113 496 0054',
        email: 'dee@weavers-arms.test',
      },
    ],
    terms: '7 days',
    badges: ['vip'],
  },
  {
    key: 'novak',
    name: 'Petra Novak',
    individual: true,
    address: leeds('Flat 8, Canal Wharf House', 'LS5 3KC'),
    people: [{ first: 'Petra', last: 'Novak', mobile: '+447700900265', email: 'petra.novak@example.com' }],
  },
  {
    key: 'stanza',
    name: 'Stanza Coffee Roasters',
    address: leeds('118 Brigate Row', 'LS1 6VC'),
    people: [
      { first: 'Luca', last: 'Bianchi', mobile: '+447700900276', email: 'luca@stanza-coffee.test' },
      { first: 'Ana', last: 'Bianchi', email: 'ana@stanza-coffee.test' },
    ],
    website: 'https://stanza-coffee.test',
  },
  {
    key: 'whitaker',
    name: 'Colin and Ruth Whitaker',
    individual: true,
    address: leeds('3 Chapel Fold', 'LS15 7OK'),
    // A landline in the mobile field: a text to it must fail with a sentence.
    people: [{ first: 'Ruth', last: 'Whitaker', mobile: '0113 496 0087', email: 'the.whitakers@example.com' }],
  },
  {
    key: 'parish',
    name: 'St Aidan Parish Hall',
    address: leeds('Church Lane', 'LS7 4CI'),
    people: [{ first: 'Margaret', last: 'Poole', phone: '0113 496 0098' }],
  },
  {
    key: 'iqbal',
    name: 'Nadia Iqbal',
    individual: true,
    address: leeds('27 Linden Grove', 'LS17 6MV'),
    people: [{ first: 'Nadia', last: 'Iqbal', mobile: '+447700900309', email: 'nadia.iqbal@example.com' }],
    badges: ['due'],
  },
  {
    key: 'crossfield',
    name: 'Crossfield Dental Practice',
    address: leeds('40 Park Crescent', 'LS2 9KO'),
    people: [
      { first: 'Hannah', last: 'Crossfield', mobile: '+447700900310', email: 'hannah@crossfield-dental.test' },
      {
        first: 'Reception',
        last: 'Crossfield Dental',
        phone: '0113 496 0110',
        email: 'reception@crossfield-dental.test',
      },
    ],
    terms: '30 days',
    badges: ['vip'],
  },
  {
    key: 'byrne',
    name: 'Sean Byrne',
    individual: true,
    address: leeds('9 Quarry Steps', 'LS13 2VM'),
    people: [{ first: 'Sean', last: 'Byrne', email: 'sean.byrne@example.com' }],
  },
  {
    key: 'larkfield',
    name: 'Larkfield Housing Association',
    address: leeds('Larkfield House, 1 Mill Pond Lane', 'LS11 8CK'),
    people: [
      { first: 'Gareth', last: 'Pryce', mobile: '+447700900332', email: 'repairs@larkfield-housing.test' },
      { first: 'Finance', last: 'Larkfield', email: 'finance@larkfield-housing.test' },
    ],
    terms: '45 days',
    badges: ['landlord'],
  },
  {
    key: 'drummond',
    name: 'Isla Drummond',
    individual: true,
    address: leeds('52 Hawthorn Road', 'LS16 5OV'),
    people: [{ first: 'Isla', last: 'Drummond', mobile: '+447700900343', email: 'isla.drummond@example.com' }],
  },
  {
    key: 'bakery',
    name: 'Copper Kettle Bakery',
    address: leeds('17 Market Passage', 'LS2 7MI'),
    people: [{ first: 'Yusuf', last: 'Demir', mobile: '+447700900354', email: 'yusuf@copper-kettle.test' }],
  },
  {
    key: 'oldclient',
    name: 'Redbrick Gym (closed)',
    address: leeds('88 Station Approach', 'LS11 5VK'),
    people: [{ first: 'Jay', last: 'Carter', mobile: '+447700900365', email: 'jay@redbrick-gym.test' }],
    inactive: true,
  },
]
