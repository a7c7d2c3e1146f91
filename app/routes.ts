// Where Remix looks for the table of addresses, which stands beside the modules it names.
import table from './routes/table.ts'

export default table
