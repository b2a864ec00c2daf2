// Validates statements with dbhub's classifier from the built files of the package.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const dist = process.argv[2];
const chunks = readdirSync(dist).filter((file) => /^chunk-.*\.js$/.test(file));
const file = chunks.find((chunk) => /export \{[^}]*\bisReadOnlySQL\b/.test(readFileSync(join(dist, chunk), "utf8")));
const { isReadOnlySQL } = await import(pathToFileURL(join(dist, file)).href);
const statements = JSON.parse(readFileSync(0, "utf8"));
const verdicts = statements.map((sql) => {
  try {
    return isReadOnlySQL(sql, "sqlserver");
  } catch {
    return false;
  }
});
process.stdout.write(JSON.stringify(verdicts));
