// Types of the database (src/db/types.ts).
export const generateDatabaseTypes = async (_root: string, _scratch: string): Promise<Map<string, string>> => new Map();
