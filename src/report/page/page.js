// Builds the page from its data.
import {begin, data} from './parts.js';
import {report} from './report.js';
import {validation} from './validation.js';

begin();
if (data.cases) validation();
else report();
