BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0002');
CREATE TABLE events (
	"match" VARCHAR(32) NOT NULL, 
	seq INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY ("match", seq)
);
INSERT INTO "events" VALUES('15aa830d737d59b4',1,'{"seq":1,"at":1795418768581,"type":"started","match":"15aa830d737d59b4","game":{"name":"trapgrid","options":{"size":3}},"players":[{"id":"q5zrWPg_axmD","name":"Ann","kind":"person"},{"id":"NRBQLIqaNLTP","name":"Ben","kind":"person"}],"clock":{"kind":"none"},"commitment":"673f57038910d6fb70836d8c9425d904bdd7ce717a9fe6fd50e8e00a111ad298","private":false,"delay":0,"previous":null}');
INSERT INTO "events" VALUES('15aa830d737d59b4',2,'{"seq":2,"at":1795418768821,"seat":0,"cause":"c4","type":"played","ply":0,"move":"a2","spent":240,"left":[null,null]}');
INSERT INTO "events" VALUES('15aa830d737d59b4',3,'{"seq":3,"at":1795418768829,"seat":1,"cause":"c6","type":"played","ply":1,"move":"b1","spent":8,"left":[null,null]}');
INSERT INTO "events" VALUES('15aa830d737d59b4',4,'{"seq":4,"at":1795418768832,"seat":0,"cause":"c9","type":"played","ply":2,"move":"a1","spent":3,"left":[null,null]}');
INSERT INTO "events" VALUES('15aa830d737d59b4',5,'{"seq":5,"at":1795418768835,"seat":1,"cause":"c11","type":"played","ply":3,"move":"b2","spent":3,"left":[null,null]}');
INSERT INTO "events" VALUES('15aa830d737d59b4',6,'{"seq":6,"at":1795418768835,"type":"ended","winner":1,"places":[2,1],"reason":"rules","seed":"098c41ca87263f79da72d6869a4aa1bf3e9c0c773c9506e5e00a1b9e221ff97b","cause":null,"seat":null}');
INSERT INTO "events" VALUES('15aa830d737d59b4',7,'{"seq":7,"at":1795418768837,"seat":0,"cause":"c13","type":"rematch_offered"}');
INSERT INTO "events" VALUES('4df2dd08a749',1,'{"seq":1,"at":1795418768838,"type":"started","match":"4df2dd08a749","game":{"name":"trapgrid","options":{"size":3}},"players":[{"id":"NRBQLIqaNLTP","name":"Ben","kind":"person"},{"id":"q5zrWPg_axmD","name":"Ann","kind":"person"}],"clock":{"kind":"none"},"commitment":"52f57af81c4f4fdd3720773d5814a644b50614b4842114bf12f4cc000a1e4cae","private":false,"delay":0,"previous":"15aa830d737d59b4"}');
INSERT INTO "events" VALUES('15aa830d737d59b4',8,'{"seq":8,"at":1795418768838,"seat":1,"cause":"c13","type":"rematched","match":"4df2dd08a749"}');
INSERT INTO "events" VALUES('422641f6c47fe0f0',1,'{"seq":1,"at":1795418768844,"type":"started","match":"422641f6c47fe0f0","game":{"name":"isolation","options":{"width":4,"height":4,"players":2,"dice":true}},"players":[{"id":"q5zrWPg_axmD","name":"Ann","kind":"person"},{"id":"NRBQLIqaNLTP","name":"Ben","kind":"person"}],"clock":{"kind":"none"},"commitment":"a2bf2fd6d36e405a743412d9285c02fb003959592e24aa4af1c15ac446030020","private":false,"delay":0,"previous":null}');
INSERT INTO "events" VALUES('422641f6c47fe0f0',2,'{"seq":2,"at":1795418768858,"seat":0,"cause":"c17","type":"played","ply":0,"move":"a1","spent":14,"left":[null,null]}');
INSERT INTO "events" VALUES('422641f6c47fe0f0',3,'{"seq":3,"at":1795418768865,"seat":1,"cause":"c19","type":"played","ply":1,"move":"b1","spent":7,"left":[null,null]}');
INSERT INTO "events" VALUES('422641f6c47fe0f0',4,'{"seq":4,"at":1795418768865,"type":"rolled","ply":2,"move":"2"}');
INSERT INTO "events" VALUES('422641f6c47fe0f0',5,'{"seq":5,"at":1795418768867,"type":"ended","winner":0,"places":[1,2],"reason":"resignation","seed":"f07c4122a4cfdfa86f7e1567b589d0571d64a23efb520e9f8abf5da01ede4810","cause":"c20","seat":1}');
INSERT INTO "events" VALUES('6ad9795d341781de',1,'{"seq":1,"at":1795418768873,"type":"started","match":"6ad9795d341781de","game":{"name":"bamboo","options":{"radius":2}},"players":[{"id":"q5zrWPg_axmD","name":"Ann","kind":"person"},{"id":"NRBQLIqaNLTP","name":"Ben","kind":"person"}],"clock":{"kind":"none"},"commitment":"e4104d203e1d5d5b5b9dcbebed2fd049ab83dabc927cee87949c32b959677fdb","private":false,"delay":0,"previous":null}');
INSERT INTO "events" VALUES('6ad9795d341781de',2,'{"seq":2,"at":1795418768899,"seat":0,"cause":"c23","type":"played","ply":0,"move":"a1","spent":26,"left":[null,null]}');
INSERT INTO "events" VALUES('6ad9795d341781de',3,'{"seq":3,"at":1795418768908,"seat":1,"cause":"c26","type":"played","ply":1,"move":"a2","spent":9,"left":[null,null]}');
INSERT INTO "events" VALUES('6ad9795d341781de',4,'{"seq":4,"at":1795418768909,"type":"ended","winner":0,"places":[1,2],"reason":"resignation","seed":"f6c3823797e255197edb024f1ffb57984f650fefbaee64d5a359bc3ed31d72be","cause":"c27","seat":1}');
INSERT INTO "events" VALUES('52d48fcb1bd3d475',1,'{"seq":1,"at":1795418768912,"type":"started","match":"52d48fcb1bd3d475","game":{"name":"quoridor","options":{"size":7,"players":2,"walls":8,"max_plies":150,"no_progress":40}},"players":[{"id":"q5zrWPg_axmD","name":"Ann","kind":"person"},{"id":"NRBQLIqaNLTP","name":"Ben","kind":"person"}],"clock":{"kind":"none"},"commitment":"cf101ae6efabe0317f445f9652f05417b30a32ccfd1d6bb1f9ab616bfe8c03a7","private":false,"delay":0,"previous":null}');
INSERT INTO "events" VALUES('52d48fcb1bd3d475',2,'{"seq":2,"at":1795418768934,"seat":0,"cause":"c29","type":"played","ply":0,"move":"c1","spent":22,"left":[null,null]}');
INSERT INTO "events" VALUES('52d48fcb1bd3d475',3,'{"seq":3,"at":1795418768954,"seat":1,"cause":"c33","type":"played","ply":1,"move":"d6","spent":20,"left":[null,null]}');
INSERT INTO "events" VALUES('52d48fcb1bd3d475',4,'{"seq":4,"at":1795418768961,"type":"ended","winner":0,"places":[1,2],"reason":"resignation","seed":"eb12e5637154b6900829907226c56fd0e6d7392ffb9ba42de591d52ba61ad49f","cause":"c34","seat":1}');
INSERT INTO "events" VALUES('bcb948926f8921f4',1,'{"seq":1,"at":1795418768965,"type":"started","match":"bcb948926f8921f4","game":{"name":"quoridor","options":{"size":7,"players":2,"walls":8,"max_plies":150,"no_progress":40}},"players":[{"id":"q5zrWPg_axmD","name":"Ann","kind":"person"},{"id":"NRBQLIqaNLTP","name":"Ben","kind":"person"}],"clock":{"kind":"none"},"commitment":"a69f9f21d6a59179441fd41a907a5f58a7e91035a89ce9604d3286d442491d8a","private":false,"delay":0,"previous":null}');
INSERT INTO "events" VALUES('bcb948926f8921f4',2,'{"seq":2,"at":1795418768970,"seat":0,"cause":"c35","type":"played","ply":0,"move":"c1","spent":5,"left":[null,null]}');
INSERT INTO "events" VALUES('bcb948926f8921f4',3,'{"seq":3,"at":1795418768974,"seat":1,"cause":"c40","type":"played","ply":1,"move":"d6","spent":4,"left":[null,null]}');
INSERT INTO "events" VALUES('bcb948926f8921f4',4,'{"seq":4,"at":1795418768977,"seat":1,"cause":"c41","type":"takeback_requested"}');
INSERT INTO "events" VALUES('bcb948926f8921f4',5,'{"seq":5,"at":1795418768979,"seat":0,"cause":"c38","type":"takeback_declined"}');
INSERT INTO "events" VALUES('bcb948926f8921f4',6,'{"seq":6,"at":1795418768982,"seat":0,"cause":"c41","type":"played","ply":2,"move":"b1","spent":8,"left":[null,null]}');
INSERT INTO "events" VALUES('bcb948926f8921f4',7,'{"seq":7,"at":1795418768985,"seat":1,"cause":"c46","type":"played","ply":3,"move":"d5","spent":3,"left":[null,null]}');
INSERT INTO "events" VALUES('bcb948926f8921f4',8,'{"seq":8,"at":1795418768986,"seat":1,"cause":"c47","type":"takeback_requested"}');
INSERT INTO "events" VALUES('bcb948926f8921f4',9,'{"seq":9,"at":1795418768988,"seat":0,"cause":"c44","type":"taken_back","ply":3,"left":[null,null]}');
INSERT INTO "events" VALUES('bcb948926f8921f4',10,'{"seq":10,"at":1795418768989,"seat":0,"cause":"c45","type":"draw_offered"}');
INSERT INTO "events" VALUES('bcb948926f8921f4',11,'{"seq":11,"at":1795418768990,"seat":1,"cause":"c48","type":"draw_declined"}');
INSERT INTO "events" VALUES('bcb948926f8921f4',12,'{"seq":12,"at":1795418768994,"seat":1,"cause":"c51","type":"played","ply":3,"move":"d5","spent":6,"left":[null,null]}');
INSERT INTO "events" VALUES('bcb948926f8921f4',13,'{"seq":13,"at":1795418768997,"seat":0,"cause":"c50","type":"played","ply":4,"move":"a1","spent":3,"left":[null,null]}');
INSERT INTO "events" VALUES('bcb948926f8921f4',14,'{"seq":14,"at":1795418769000,"seat":0,"cause":"c51","type":"draw_offered"}');
INSERT INTO "events" VALUES('bcb948926f8921f4',15,'{"seq":15,"at":1795418769001,"type":"ended","winner":null,"places":[1,1],"reason":"agreement","seed":"ce643a0a1dc238c63964be152cbca9406bb054921d7e55a853d787462214160b","cause":"c54","seat":1}');
INSERT INTO "events" VALUES('dfa9ba47b22c6ea3',1,'{"seq":1,"at":1795418769005,"type":"started","match":"dfa9ba47b22c6ea3","game":{"name":"isolation","options":{"width":7,"height":7,"players":3,"dice":false}},"players":[{"id":"q5zrWPg_axmD","name":"Ann","kind":"person"},{"id":"NRBQLIqaNLTP","name":"Ben","kind":"person"},{"id":"N1Ik0PwN3jHi","name":"Cem","kind":"person"}],"clock":{"kind":"none"},"commitment":"76e1758e710ff397df590cfc5d7848bec776b5bd3eb48c5ccc08a0f627efb12b","private":false,"delay":0,"previous":null}');
INSERT INTO "events" VALUES('dfa9ba47b22c6ea3',2,'{"seq":2,"at":1795418769015,"seat":0,"cause":"c55","type":"played","ply":0,"move":"a1","spent":10,"left":[null,null,null]}');
INSERT INTO "events" VALUES('dfa9ba47b22c6ea3',3,'{"seq":3,"at":1795418769020,"seat":1,"cause":"c60","type":"played","ply":1,"move":"b1","spent":5,"left":[null,null,null]}');
INSERT INTO "events" VALUES('dfa9ba47b22c6ea3',4,'{"seq":4,"at":1795418769026,"seat":2,"cause":"c8","type":"played","ply":2,"move":"c1","spent":6,"left":[null,null,null]}');
INSERT INTO "events" VALUES('dfa9ba47b22c6ea3',5,'{"seq":5,"at":1795418769027,"seat":0,"cause":"c60","type":"takeback_requested"}');
INSERT INTO "events" VALUES('dfa9ba47b22c6ea3',6,'{"seq":6,"at":1795418769029,"seat":1,"cause":"c63","type":"agreed","to":"takeback"}');
INSERT INTO "events" VALUES('dfa9ba47b22c6ea3',7,'{"seq":7,"at":1795418769030,"seat":2,"cause":"c9","type":"taken_back","ply":0,"left":[null,null,null]}');
INSERT INTO "events" VALUES('dfa9ba47b22c6ea3',8,'{"seq":8,"at":1795418769034,"seat":0,"cause":"c63","type":"played","ply":0,"move":"a1","spent":4,"left":[null,null,null]}');
INSERT INTO "events" VALUES('dfa9ba47b22c6ea3',9,'{"seq":9,"at":1795418769035,"type":"eliminated","seat":0,"place":3,"reason":"resignation","cause":"c64","by":0}');
INSERT INTO "events" VALUES('dfa9ba47b22c6ea3',10,'{"seq":10,"at":1795418769037,"type":"eliminated","seat":1,"place":2,"reason":"resignation","cause":"c66","by":1}');
INSERT INTO "events" VALUES('dfa9ba47b22c6ea3',11,'{"seq":11,"at":1795418769037,"type":"ended","winner":2,"places":[3,2,1],"reason":"resignation","seed":"a4d895330a3a45ba35aec094cf7c37e6bc91b6ed20e2c4a0a67d1ccf915413a9","cause":null,"seat":null}');
INSERT INTO "events" VALUES('de48a5cd819377a7',1,'{"seq":1,"at":1795418769040,"type":"started","match":"de48a5cd819377a7","game":{"name":"trapgrid","options":{"size":5}},"players":[{"id":"q5zrWPg_axmD","name":"Ann","kind":"person"},{"id":"NRBQLIqaNLTP","name":"Ben","kind":"person"}],"clock":{"kind":"fischer","initial":600,"increment":0},"commitment":"72fcad3217915eb7f658f011d8b80f629b2393d948dc514c56b51ea856418b70","private":false,"delay":0,"previous":null}');
INSERT INTO "events" VALUES('de48a5cd819377a7',2,'{"seq":2,"at":1795418769045,"seat":0,"cause":"c68","type":"played","ply":0,"move":"a4","spent":5,"left":[600000,600000]}');
INSERT INTO "events" VALUES('de48a5cd819377a7',3,'{"seq":3,"at":1795418769049,"seat":1,"cause":"c72","type":"played","ply":1,"move":"d1","spent":4,"left":[600000,600000]}');
INSERT INTO "events" VALUES('de48a5cd819377a7',4,'{"seq":4,"at":1795418769052,"seat":0,"cause":"c73","type":"played","ply":2,"move":"a3","spent":2,"left":[599998,600000]}');
INSERT INTO "events" VALUES('de48a5cd819377a7',5,'{"seq":5,"at":1795418769056,"seat":1,"cause":"c77","type":"played","ply":3,"move":"c1","spent":3,"left":[599998,599997]}');
INSERT INTO "events" VALUES('4df2dd08a749',2,'{"seq":2,"at":1795418769078,"type":"resumed","refunded":240}');
INSERT INTO "events" VALUES('de48a5cd819377a7',6,'{"seq":6,"at":1795418769086,"type":"resumed","refunded":30}');
INSERT INTO "events" VALUES('de48a5cd819377a7',7,'{"seq":7,"at":1795418769093,"seat":0,"cause":"c3","type":"played","ply":4,"move":"a2","spent":6,"left":[599992,599997]}');
CREATE TABLE matches (
	id VARCHAR(32) NOT NULL, 
	started BIGINT NOT NULL, 
	ended BIGINT, 
	private BOOLEAN NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "matches" VALUES('15aa830d737d59b4',1795418768581,1795418768835,0);
INSERT INTO "matches" VALUES('4df2dd08a749',1795418768838,NULL,0);
INSERT INTO "matches" VALUES('422641f6c47fe0f0',1795418768844,1795418768867,0);
INSERT INTO "matches" VALUES('6ad9795d341781de',1795418768873,1795418768909,0);
INSERT INTO "matches" VALUES('52d48fcb1bd3d475',1795418768912,1795418768961,0);
INSERT INTO "matches" VALUES('bcb948926f8921f4',1795418768965,1795418769001,0);
INSERT INTO "matches" VALUES('dfa9ba47b22c6ea3',1795418769005,1795418769037,0);
INSERT INTO "matches" VALUES('de48a5cd819377a7',1795418769040,NULL,0);
CREATE TABLE players (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(24) NOT NULL, 
	kind VARCHAR(8) NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "players" VALUES('q5zrWPg_axmD','Ann','person');
INSERT INTO "players" VALUES('NRBQLIqaNLTP','Ben','person');
INSERT INTO "players" VALUES('N1Ik0PwN3jHi','Cem','person');
CREATE TABLE probes (
	id INTEGER NOT NULL, 
	body BLOB NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE seats (
	"match" VARCHAR(32) NOT NULL, 
	seat INTEGER NOT NULL, 
	player VARCHAR(32) NOT NULL, 
	PRIMARY KEY ("match", seat)
);
INSERT INTO "seats" VALUES('15aa830d737d59b4',0,'q5zrWPg_axmD');
INSERT INTO "seats" VALUES('15aa830d737d59b4',1,'NRBQLIqaNLTP');
INSERT INTO "seats" VALUES('4df2dd08a749',0,'NRBQLIqaNLTP');
INSERT INTO "seats" VALUES('4df2dd08a749',1,'q5zrWPg_axmD');
INSERT INTO "seats" VALUES('422641f6c47fe0f0',0,'q5zrWPg_axmD');
INSERT INTO "seats" VALUES('422641f6c47fe0f0',1,'NRBQLIqaNLTP');
INSERT INTO "seats" VALUES('6ad9795d341781de',0,'q5zrWPg_axmD');
INSERT INTO "seats" VALUES('6ad9795d341781de',1,'NRBQLIqaNLTP');
INSERT INTO "seats" VALUES('52d48fcb1bd3d475',0,'q5zrWPg_axmD');
INSERT INTO "seats" VALUES('52d48fcb1bd3d475',1,'NRBQLIqaNLTP');
INSERT INTO "seats" VALUES('bcb948926f8921f4',0,'q5zrWPg_axmD');
INSERT INTO "seats" VALUES('bcb948926f8921f4',1,'NRBQLIqaNLTP');
INSERT INTO "seats" VALUES('dfa9ba47b22c6ea3',0,'q5zrWPg_axmD');
INSERT INTO "seats" VALUES('dfa9ba47b22c6ea3',1,'NRBQLIqaNLTP');
INSERT INTO "seats" VALUES('dfa9ba47b22c6ea3',2,'N1Ik0PwN3jHi');
INSERT INTO "seats" VALUES('de48a5cd819377a7',0,'q5zrWPg_axmD');
INSERT INTO "seats" VALUES('de48a5cd819377a7',1,'NRBQLIqaNLTP');
CREATE TABLE secrets (
	name VARCHAR(32) NOT NULL, 
	value BLOB NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "secrets" VALUES('seed',X'662A14013A3D3D92D41E50AC5267D21B37DE7FD13830373D50F12D5F973749FE');
CREATE TABLE tokens (
	digest VARCHAR(64) NOT NULL, 
	player VARCHAR(32) NOT NULL, 
	PRIMARY KEY (digest), 
	FOREIGN KEY(player) REFERENCES players (id)
);
INSERT INTO "tokens" VALUES('9b7ecf26eaabb497d171d6f7a57c5e712689f763635e92b722066497647722cf','q5zrWPg_axmD');
INSERT INTO "tokens" VALUES('f204e2466a449163d048a69c86ebd629fe13215cd0244ab3eb7a35d6c121687c','NRBQLIqaNLTP');
INSERT INTO "tokens" VALUES('d0319ba06e5ac40dbd2a8c27b9730bd5c28e6c5ac96ca4e380dbb80a31c21e4a','N1Ik0PwN3jHi');
CREATE INDEX matches_ended ON matches (ended);
CREATE INDEX seats_player ON seats (player);
COMMIT;
